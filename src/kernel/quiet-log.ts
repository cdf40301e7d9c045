import type { Log } from './ports.ts'

/** For work that is no news to whoever runs the service: what goes wrong there is thrown. */
export const QUIET: Log = { info: () => {}, warn: () => {}, error: () => {} }
