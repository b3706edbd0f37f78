import { useEffect, useState } from 'preact/hooks';

/** A value kept outside components; rerenders when it changes. `preact/compat` has one, with much else. */
export function useSyncExternalStore<T>(subscribe: (reader: () => void) => () => void, read: () => T): T {
  const [value, setValue] = useState(read);
  useEffect(() => {
    const look = () => setValue(read);
    look();
    return subscribe(look);
  }, [subscribe, read]);
  return value;
}
