import { day, list } from '../../kernel/args.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { listStayNights } from './stay.ts'

export const MAX_SELECTED_NIGHTS = 60

/** Arguments that select nights: either `from` and `until`, where `until` is the check-out day, or a list of days. */
export const nightSelectionArguments = {
  from: day().optional(),
  until: day().optional(),
  nights: list(day(), MAX_SELECTED_NIGHTS).optional(),
}

export interface NightSelectionInput {
  from?: string | undefined
  until?: string | undefined
  nights?: readonly string[] | undefined
}

/** Reads the nights of a call in order, without repetitions; null if the call names none. `path` is the path of the arguments in errors. */
export function parseOptionalSelectedNights({ from, until, nights }: NightSelectionInput, path = ''): string[] | null {
  const at = (name: string) => (path === '' ? name : `${path}.${name}`)
  if (nights !== undefined) {
    if (from !== undefined || until !== undefined)
      throw invalidArguments([{ path: at('nights'), message: 'give either nights or from and until' }])
    if (nights.length === 0) throw invalidArguments([{ path: at('nights'), message: 'at least 1 night' }])
    return [...new Set(nights)].sort()
  }
  if (from === undefined && until === undefined) return null
  if (from === undefined || until === undefined)
    throw invalidArguments([{ path: at(from === undefined ? 'from' : 'until'), message: 'from and until belong together' }])
  const all = listStayNights(from, until)
  if (all.length === 0) throw invalidArguments([{ path: at('until'), message: `must be after ${from}: it is the check-out day` }])
  if (all.length > MAX_SELECTED_NIGHTS) throw invalidArguments([{ path: at('until'), message: `at most ${MAX_SELECTED_NIGHTS} nights` }])
  return all
}

export function parseSelectedNights(given: NightSelectionInput, path = ''): string[] {
  const nights = parseOptionalSelectedNights(given, path)
  if (nights) return nights
  throw invalidArguments([{ path: path === '' ? 'nights' : `${path}.nights`, message: 'give nights, or from and until' }])
}
