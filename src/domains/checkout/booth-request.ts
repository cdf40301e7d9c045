import type { FieldError } from '../../kernel/errors.ts'
import type { WidgetOf } from '../configuration/schema/widgets.ts'
import { findOrCreateApplicantCompany, submitApplication } from '../exhibitors/applications.ts'
import { listAvailableBooths } from '../exhibitors/available-booths.ts'
import { takeNumber } from '../orders/numbers.ts'
import { nameOf, type ParticipantRow } from '../registration/participant-shape.ts'
import type { EventScope, EventSnapshot } from '../registration/event-snapshot.ts'
import type { Progress } from './progress.ts'
import { FORM_FIELDS, type SentValues, listWidgets } from './sent-page.ts'
import type { BoothRequest } from './tables.ts'

export const findBoothRequestWidget = (progress: Pick<Progress, 'flow'>, page: string): WidgetOf<'boothRequest'> | undefined =>
  listWidgets(progress, page).find((widget): widget is WidgetOf<'boothRequest'> => widget.type === 'boothRequest')

/** The booth sizes named by the widget, or all. */
export const listBoothSizes = ({ config }: Pick<EventSnapshot, 'config'>, { sizes }: WidgetOf<'boothRequest'>) =>
  config.exhibitorConfig.boothSizes.filter(({ code }) => sizes.length === 0 || sizes.includes(code))

/** Reads the booth request of a page. Returns undefined if the page had no such widget, and an error for each unknown booth number. */
export async function readBoothRequest(
  ctx: EventScope,
  progress: Progress,
  page: string,
  sent: SentValues,
): Promise<{ request: BoothRequest | null | undefined; errors: readonly FieldError[] }> {
  const widget = findBoothRequestWidget(progress, page)
  if (!widget || !sent(FORM_FIELDS.shown).includes(widget.id)) return { request: undefined, errors: [] }
  const ranked = (field: (rank: number) => string, most: number) => [
    ...new Set(Array.from({ length: most }, (_, index) => sent(field(index + 1))[0]?.trim() ?? '').filter((value) => value !== '')),
  ]
  const known = listBoothSizes(progress.snapshot, widget).map(({ code }) => code)
  const sizes = ranked(FORM_FIELDS.boothSize, MAX_BOOTH_SIZES).filter((code) => known.includes(code))
  const wanted = ranked(FORM_FIELDS.boothNumber, widget.maxPreferences)
  const { booths } = await listAvailableBooths(ctx)
  const numbers = new Map(booths.map(({ number }) => [number.toLowerCase(), number]))
  const errors = wanted.flatMap((one, index) =>
    numbers.has(one.toLowerCase()) ? [] : [{ path: FORM_FIELDS.boothNumber(index + 1), message: 'booth' }],
  )
  const boothNumbers = wanted.flatMap((one) => numbers.get(one.toLowerCase()) ?? [])
  const acceptOther = sent(FORM_FIELDS.boothOther)[0] === 'true'
  if (sizes.length === 0 && boothNumbers.length === 0) return { request: null, errors }
  return { request: { sizes, boothNumbers, acceptOther }, errors }
}

export const MAX_BOOTH_SIZES = 3

/** Turns the booth request into an application of the participant's company, once the registration is complete. */
export async function applyForBooth(ctx: EventScope, snapshot: EventSnapshot, row: ParticipantRow, request: BoothRequest | null): Promise<void> {
  if (request === null || row.status !== 'complete') return
  const { company, email, website, country } = row
  const applicant = { participantId: row.id, isTestData: row.is_test_data, name: nameOf(row), email: email ?? '' }
  const companyId = await findOrCreateApplicantCompany(ctx, {
    ...applicant,
    company: company ?? nameOf(row),
    ...(website === null ? {} : { website }),
    ...(country === null ? {} : { country }),
  })
  const fields = new Set(snapshot.config.exhibitorConfig.applicationFields)
  await submitApplication(ctx, {
    companyId,
    participantId: row.id,
    isTestData: row.is_test_data,
    number: await takeNumber(ctx, 'A', row.is_test_data ? 'test' : 'real'),
    wanted: request,
    answers: Object.fromEntries(Object.entries(row.custom_field_responses).filter(([code]) => fields.has(code))),
  })
}
