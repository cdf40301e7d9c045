/** Splits a URL after the slashes of its path, where a line may break. */
export const splitUrlAtSlashes = (url: string): string[] => url.split(/(?<=[^:/]\/)/)
