import type { Log } from './ports.ts'

/** A log that drops all lines, for work that reports its errors by throwing them. */
export const SILENT_LOG: Log = { info: () => {}, warn: () => {}, error: () => {} }
