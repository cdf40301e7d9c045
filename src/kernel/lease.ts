import { randomBytes } from 'node:crypto'

/** The name by which whoever took a row is known until they give it back or their time is over. */
export const newLease = (): string => randomBytes(12).toString('base64url')

/** Somebody else has the row meanwhile: what was being done with it is theirs to do, and is left. */
export class LeaseLost extends Error {
  constructor() {
    super('another process has taken this over')
  }
}
