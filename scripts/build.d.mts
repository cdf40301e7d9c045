export function buildIfStale(): void
