import { AppError } from '../../kernel/errors.ts'

/** Not told from one another: of a file whose bytes are not those that were written, nothing it says can be relied on. */
export const damaged = () =>
  new AppError(
    'precondition_failed',
    'The backup is damaged or was cut off: nothing was restored. Take another copy of it, or an earlier one',
  )
