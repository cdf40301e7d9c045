import { AppError } from '../../kernel/errors.ts'

const MB = 1024 * 1024

/** Limits for uploaded sheets, which are checked before or during unpacking. */
export const SHEET_LIMITS = {
  rows: 500_000,
  columns: 200,
  unpackedBytes: 2048 * MB,
  unpackedTimes: 100,
  /** The maximum size of the shared strings of a workbook, which are all in memory while it is read. */
  sharedTextBytes: 256 * MB,
  cellBytes: MB,
} as const

export const sheetLimitExceededError = (message: string) => new AppError('limit_exceeded', message)
export const unreadableSheetError = (message: string) => new AppError('invalid_arguments', message)
