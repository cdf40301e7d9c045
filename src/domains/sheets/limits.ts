import { AppError } from '../../kernel/errors.ts'

const MB = 1024 * 1024

/** What a sheet may hold. More is refused as soon as it is seen, and never unpacked to be counted. */
export const SHEET_LIMITS = {
  rows: 500_000,
  columns: 200,
  unpackedBytes: 2048 * MB,
  unpackedTimes: 100,
  /** Texts of a workbook that cells refer to by number are all in memory while it is read. */
  sharedTextBytes: 256 * MB,
  cellBytes: MB,
} as const

export const tooMuch = (message: string) => new AppError('limit_exceeded', message)
export const unreadable = (message: string) => new AppError('invalid_arguments', message)
