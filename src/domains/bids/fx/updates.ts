import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { AppError } from '../../../kernel/errors.ts'
import type { Fetcher } from '../../../kernel/fetcher.ts'
import type { ExchangeRateSettings } from '../../../kernel/fx.ts'
import type { RecurringTask, RecurringTaskContext } from '../../../kernel/recurring.ts'
import { addDays } from '../../../kernel/time.ts'
import { fetchEcbRates } from './ecb.ts'
import { type FxFileProblem, parseFxFile } from './rates-file.ts'
import { findNewestEcbRateDay, storeRates } from './store-rates.ts'

type UpdateRun = Pick<RecurringTaskContext, 'transact' | 'log'>

export interface FxRateUpdater {
  tasks: readonly RecurringTask[]
  /** Loads the configured file of exchange rates unless this process has already loaded the same content. */
  loadFile: (run: UpdateRun) => Promise<void>
  /** Fetches the rates of the ECB immediately if none are stored, because the first run of a new recurring task may be a day away. */
  fetchFirst: (run: UpdateRun) => Promise<void>
}

const MAX_FILE_BYTES = 20 * 1024 * 1024
const MAX_LOGGED_LINES = 50
/** Number of days whose rates are fetched again, because the ECB may correct published rates. */
const CORRECTION_DAYS = 7

/** Keeps the stored exchange rates up to date from the configured sources. */
export function createFxRateUpdater({ file, ecbUrl }: ExchangeRateSettings, fetcher: Fetcher): FxRateUpdater {
  let loadedHash: string | null = null

  const loadFile: FxRateUpdater['loadFile'] = async (run) => {
    if (file === null) return
    const content = await readRatesFile(file, run)
    const hash = content && createHash('sha256').update(content).digest('hex')
    if (content === null || hash === loadedHash) return
    await storeFile(content, run)
    loadedHash = hash
  }
  const fetchFirst: FxRateUpdater['fetchFirst'] = async (run) => {
    if (ecbUrl === null || (await run.transact(findNewestEcbRateDay)) !== null) return
    await updateFromEcb(fetcher, ecbUrl, run)
  }
  const tasks: RecurringTask[] = []
  if (file !== null) tasks.push({ name: 'fx-file', schedule: { cron: '10 4 * * *', zone: 'UTC' }, run: loadFile })
  // The recurring task runs after the ECB has published its rates, on working days at about 16:00.
  if (ecbUrl !== null)
    tasks.push({
      name: 'fx-ecb',
      schedule: { cron: '20 17 * * *', zone: 'Europe/Berlin' },
      run: (run) => updateFromEcb(fetcher, ecbUrl, run),
    })
  return { tasks, loadFile, fetchFirst }
}

/** Reads the operator's file of exchange rates. Returns null and logs a warning if the file cannot be used. */
async function readRatesFile(file: string, { log }: UpdateRun): Promise<Buffer | null> {
  try {
    const { size } = await stat(file)
    if (size <= MAX_FILE_BYTES) return await readFile(file)
    log.warn('exchange rates not updated', { name: 'LANYARD_FX_FILE', error: `the file is larger than ${MAX_FILE_BYTES} bytes` })
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    log.warn('exchange rates not updated', { name: 'LANYARD_FX_FILE', error: `the file cannot be read (${code})` })
  }
  return null
}

async function storeFile(content: Buffer, { transact, log }: UpdateRun): Promise<void> {
  const { rates, problems } = await parseFxFile(content)
  logProblems(problems, log)
  const count = await transact((db) => storeRates(db, rates, 'file'))
  log.info('exchange rates updated', { name: 'file', count })
}

function logProblems(problems: readonly FxFileProblem[], log: UpdateRun['log']): void {
  for (const { line, problem } of problems.slice(0, MAX_LOGGED_LINES))
    log.warn('exchange rate ignored', { name: 'LANYARD_FX_FILE', error: `line ${line}: ${problem}` })
  const count = problems.length - MAX_LOGGED_LINES
  if (count > 0) log.warn('more exchange rates ignored', { name: 'LANYARD_FX_FILE', count })
}

/**
 * Stores the ECB's rates since the newest stored day. If the ECB fails, only a warning is logged, because the next run includes the missing
 * days.
 */
async function updateFromEcb(fetcher: Fetcher, url: string, { transact, log }: UpdateRun): Promise<void> {
  try {
    const newest = await transact(findNewestEcbRateDay)
    const rates = await fetchEcbRates(fetcher, { url, from: newest === null ? null : addDays(newest, -CORRECTION_DAYS) })
    const count = await transact((db) => storeRates(db, rates, 'ecb'))
    log.info('exchange rates updated', { name: 'ecb', count })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    log.warn('exchange rates not updated', { name: 'ecb', error: error.message })
  }
}
