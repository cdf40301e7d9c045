import { createHash } from 'node:crypto'

export const computeEtag = (body: string | Buffer): string => `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`

/** Whether the caller already has this version of the response. Weak and strong tags compare as equal, because proxies may weaken them. */
export const matchesEtag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.split(',').some((tag) => bare(tag.trim()) === bare(etag)) ?? false

const bare = (tag: string) => tag.replace(/^W\//, '')
