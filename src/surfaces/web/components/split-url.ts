/** Splits an address after the slashes of its path, where a line may break. Texts without a path stay in one part. */
export const splitUrl = (url: string): string[] => url.split(/(?<=[^:/]\/)/)
