import { AppError } from '../../kernel/errors.ts'

const MB = 1024 * 1024

/** Limits are checked before or while unpacking, never after. */
export const SHEET_LIMITS = {
  rows: 500_000,
  columns: 200,
  unpackedBytes: 2048 * MB,
  unpackedTimes: 100,
  /** All shared strings of a workbook are kept in memory while it is read. */
  sharedTextBytes: 256 * MB,
  cellBytes: MB,
} as const

export const limitExceeded = (message: string) => new AppError('limit_exceeded', message)
export const unreadable = (message: string) => new AppError('invalid_arguments', message)
