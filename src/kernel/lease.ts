import { randomBytes } from 'node:crypto'

/** A random token that identifies the process that leased a row, until the lease is released or expires. */
export const newLeaseToken = (): string => randomBytes(12).toString('base64url')

/** Thrown if another process has leased the row in the meantime. Work on the row must then stop. */
export class LeaseLostError extends Error {
  constructor() {
    super('another process has taken this over')
  }
}
