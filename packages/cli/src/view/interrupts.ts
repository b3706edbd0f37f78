/** Counts Ctrl-C, as a key or as a signal. */
export type Interrupts = ReturnType<typeof countInterrupts>;

/** Listens for SIGINT until `stop`, if `onInterrupt` is set. Calls `onPress` first, so that a view can react. */
export function countInterrupts(onInterrupt: ((times: number) => void) | undefined, onPress: (times: number) => void) {
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
    get times(): number {
      return times;
    },
    press,
    /** Stops listening for signals. */
    stop: (): void => void process.off('SIGINT', press),
  };
}
