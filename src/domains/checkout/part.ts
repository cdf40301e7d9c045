import { percentOf, sumMinor, toMinor } from '../../kernel/money.ts'
import { AppError, type FieldError } from '../../kernel/errors.ts'
import type { Progress } from './progress.ts'
import { FIELDS, type Sent } from './sent-page.ts'

/** Where people may pay a part now: the least of it, in percent; null where they pay all. */
function leastPercent({ flow, walk }: Pick<Progress, 'flow' | 'walk'>): number | null {
  const visible = new Set(walk.pages.flatMap(({ widgets }) => widgets.filter((one) => one.visible).map(({ id }) => id)))
  for (const widget of flow.pages.flatMap((page) => page.widgets))
    if (widget.type === 'payment' && widget.allowPartial && visible.has(widget.id)) return widget.minPartialPercent ?? 1
  return null
}

/** The least that may be paid by card now, the rest on an open invoice; null where it is all or nothing. */
export function leastNow(progress: Pick<Progress, 'flow' | 'walk'>, due: number): number | null {
  const percent = leastPercent(progress)
  if (percent === null || due === 0) return null
  const share = percentOf(due, String(percent))
  // Rounded up: no less than was asked for.
  const least = share * 100 < due * percent ? sumMinor([share, 1]) : share
  return least > 0 && least < due ? least : null
}

/** What is charged to the card now. What was chosen before it cost less, or more, and does not fit any more is all of it. */
export function payNow(progress: Pick<Progress, 'flow' | 'walk' | 'kept'>, due: number): number {
  const { pay_now: part } = progress.kept
  const least = leastNow(progress, due)
  return part !== null && least !== null && part >= least && part < due ? part : due
}

/** What a form says of it: a part, all, or nothing where it did not ask. */
export function sentPart(progress: Progress, due: number, sent: Sent): { part: number | null | undefined; errors: readonly FieldError[] } {
  const [chosen] = sent(FIELDS.part)
  const least = leastNow(progress, due)
  if (chosen === undefined || least === null) return { part: undefined, errors: [] }
  if (chosen !== 'part') return { part: null, errors: [] }
  const part = minorIn(sent(FIELDS.partAmount)[0] ?? '', progress.scene.currency)
  return part !== null && part >= least && part <= due
    ? { part: part === due ? null : part, errors: [] }
    : { part: undefined, errors: [{ path: FIELDS.partAmount, message: 'part' }] }
}

function minorIn(typed: string, currency: string): number | null {
  try {
    return toMinor(typed.trim().replace(',', '.'), currency)
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
