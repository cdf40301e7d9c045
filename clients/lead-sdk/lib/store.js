export function keptList(store, key, isItem) {
    const where = store ?? storeOfBrowser() ?? inMemory();
    return {
        items() {
            const kept = parsed(where.getItem(key));
            return Array.isArray(kept) ? kept.filter(isItem) : [];
        },
        keep: (items) => where.setItem(key, JSON.stringify(items)),
    };
}
function parsed(text) {
    try {
        return JSON.parse(text ?? '[]');
    }
    catch {
        return [];
    }
}
function inMemory() {
    const kept = new Map();
    return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value) };
}
/** A browser that keeps nothing refuses to hand it out. */
function storeOfBrowser() {
    try {
        return typeof document === 'undefined' ? null : localStorage;
    }
    catch {
        return null;
    }
}
/** Two windows share one store: where the browser can, only one of them sends at a time. */
export const alone = (key, run) => typeof document === 'undefined' || navigator.locks === undefined ? run() : navigator.locks.request(key, run);
