import type { FieldError } from '../../kernel/errors.ts'
import type { WidgetOf } from '../configuration/schema/widgets.ts'
import { companyOf, submitApplication } from '../exhibitors/applications.ts'
import { boothsForApplying } from '../exhibitors/booths-for-applying.ts'
import { takeNumber } from '../orders/numbers.ts'
import { nameOf, type ParticipantRow } from '../registration/participant-shape.ts'
import type { AtEvent, Scene } from '../registration/scene.ts'
import type { Progress } from './progress.ts'
import { FIELDS, type Sent, widgetsOn } from './sent-page.ts'
import type { BoothRequest } from './tables.ts'

export const boothRequestOn = (progress: Pick<Progress, 'flow'>, page: string): WidgetOf<'boothRequest'> | undefined =>
  widgetsOn(progress, page).find((widget): widget is WidgetOf<'boothRequest'> => widget.type === 'boothRequest')

/** The sizes that can be asked for: those that the form names, or all. */
export const sizesFor = ({ config }: Pick<Scene, 'config'>, { sizes }: WidgetOf<'boothRequest'>) =>
  config.exhibitorConfig.boothSizes.filter(({ code }) => sizes.length === 0 || sizes.includes(code))

/** What a page says of booths; undefined where it did not ask. Booths that there are not are told. */
export async function readBoothRequest(
  ctx: AtEvent,
  progress: Progress,
  page: string,
  sent: Sent,
): Promise<{ request: BoothRequest | null | undefined; errors: readonly FieldError[] }> {
  const widget = boothRequestOn(progress, page)
  if (!widget || !sent(FIELDS.shown).includes(widget.id)) return { request: undefined, errors: [] }
  const ranked = (field: (rank: number) => string, most: number) => [
    ...new Set(Array.from({ length: most }, (_, index) => sent(field(index + 1))[0]?.trim() ?? '').filter((value) => value !== '')),
  ]
  const known = sizesFor(progress.scene, widget).map(({ code }) => code)
  const sizes = ranked(FIELDS.boothSize, MOST_SIZES).filter((code) => known.includes(code))
  const wanted = ranked(FIELDS.boothNumber, widget.maxPreferences)
  const { booths } = await boothsForApplying(ctx)
  const numbers = new Map(booths.map(({ number }) => [number.toLowerCase(), number]))
  const errors = wanted.flatMap((one, index) =>
    numbers.has(one.toLowerCase()) ? [] : [{ path: FIELDS.boothNumber(index + 1), message: 'booth' }],
  )
  const boothNumbers = wanted.flatMap((one) => numbers.get(one.toLowerCase()) ?? [])
  const acceptOther = sent(FIELDS.boothOther)[0] === 'true'
  if (sizes.length === 0 && boothNumbers.length === 0) return { request: null, errors }
  return { request: { sizes, boothNumbers, acceptOther }, errors }
}

export const MOST_SIZES = 3

/** Makes the booth that somebody asked for an application of their company, once they have registered. */
export async function applyForBooth(ctx: AtEvent, scene: Scene, row: ParticipantRow, request: BoothRequest | null): Promise<void> {
  if (request === null || row.status !== 'complete') return
  const { company, email, website, country } = row
  const applicant = { participantId: row.id, isTestData: row.is_test_data, name: nameOf(row), email: email ?? '' }
  const companyId = await companyOf(ctx, {
    ...applicant,
    company: company ?? nameOf(row),
    ...(website === null ? {} : { website }),
    ...(country === null ? {} : { country }),
  })
  const fields = new Set(scene.config.exhibitorConfig.applicationFields)
  await submitApplication(ctx, {
    companyId,
    participantId: row.id,
    isTestData: row.is_test_data,
    number: await takeNumber(ctx, 'A', row.is_test_data ? 'test' : 'real'),
    wanted: request,
    answers: Object.fromEntries(Object.entries(row.custom_field_responses).filter(([code]) => fields.has(code))),
  })
}
