export function buildIfStale(): Promise<void>
