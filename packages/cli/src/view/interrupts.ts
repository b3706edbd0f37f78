/** Counts Ctrl-C, as a key or as a signal. */
export interface Interrupts {
  readonly times: number;
  press(): void;
  /** Stops listening for signals. */
  stop(): void;
}

/** Listens for SIGINT until `stop`, if `onInterrupt` is set. Calls `onPress` first, so that a view can react. */
export function countInterrupts(
  onInterrupt: ((times: number) => void) | undefined,
  onPress: (times: number) => void,
): Interrupts {
  let times = 0;
  const press = () => {
    times += 1;
    onPress(times);
    // A terminal in raw mode sends no signal itself.
    if (onInterrupt) onInterrupt(times);
    else process.kill(process.pid, 'SIGINT');
  };
  if (onInterrupt) process.on('SIGINT', press);
  return {
    get times() {
      return times;
    },
    press,
    stop: () => {
      process.off('SIGINT', press);
    },
  };
}
