// A typed store.
export interface Item<T extends object = {}> { readonly id: number; name?: string; data: T | null }
type Listener<T> = (item: Item<T>, index: number) => void;
enum State { Open = 1, Closed }

export abstract class Store<T extends object> implements Iterable<Item<T>> {
  private items: Map<number, Item<T>> = new Map();
  constructor(protected readonly name: string, private listeners: Listener<T>[] = []) {}
  abstract load(path: string): Promise<void>;
  public add(item: Item<T>): this {
    this.items.set(item.id, item);
    this.listeners.forEach((listener, index) => listener(item, index));
    return this;
  }
  *[Symbol.iterator](): Iterator<Item<T>> { yield* this.items.values(); }
  find<K extends keyof Item<T>>(key: K, value: Item<T>[K]): Item<T> | undefined {
    for (const item of this.items.values()) if (item[key] === value) return item as Item<T>;
    return undefined;
  }
}

declare module "store" { export function open(name: string): void; }
const message = `${State.Open} of ${[1, 2, 3].length as number}`;
