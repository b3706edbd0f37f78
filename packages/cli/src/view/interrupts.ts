/** Counts Ctrl-C, whether it comes as a key or as a signal. */
export interface Interrupts {
  readonly times: number;
  press(): void;
  /** Signals do again what they did before. */
  stop(): void;
}

/** Listens for SIGINT until `stop`, if there is anybody to tell. `onPress` is called first, so that a view can say so. */
export function countInterrupts(
  onInterrupt: ((times: number) => void) | undefined,
  onPress: (times: number) => void,
): Interrupts {
  let times = 0;
  const press = () => {
    times += 1;
    onPress(times);
    // A terminal in raw mode sends no signal of its own: somebody has to.
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
