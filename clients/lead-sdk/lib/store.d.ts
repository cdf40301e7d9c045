/** Where scans wait over a reload: `localStorage` is one. */
export interface LeadStore {
    getItem: (key: string) => string | null;
    setItem: (key: string, value: string) => void;
}
/** A list that is kept under one key. What somebody else left there is none of its items. */
export interface KeptList<T> {
    items: () => T[];
    keep: (items: readonly T[]) => void;
}
export declare function keptList<T>(store: LeadStore | undefined, key: string, isItem: (value: unknown) => value is T): KeptList<T>;
/** Two windows share one store: where the browser can, only one of them sends at a time. */
export declare const alone: <T>(key: string, run: () => Promise<T>) => Promise<T>;
