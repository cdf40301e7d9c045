import { createHash } from 'node:crypto'

export const etagOf = (body: string | Buffer): string => `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`

/** Whether the caller has it already. A tag counts as the same whether or not a proxy has called it weak. */
export const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.split(',').some((tag) => bare(tag.trim()) === bare(etag)) ?? false

const bare = (tag: string) => tag.replace(/^W\//, '')
