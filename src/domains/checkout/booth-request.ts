import type { FieldError } from '../../kernel/errors.ts'
import { toFieldError } from '../../kernel/field-reasons.ts'
import type { WidgetOfType } from '../configuration/schema/widgets.ts'
import { applyForBooth } from '../exhibitors/applications.ts'
import { type BoothRequest, checkBoothRequest, MAX_REQUESTED_BOOTH_SIZES } from '../exhibitors/booth-requests.ts'
import { createLicencesOfNewAdmin } from '../exhibitors/licences.ts'
import { setParticipantCompany } from '../registration/participant-rows.ts'
import { formatParticipantName, type ParticipantRow } from '../registration/participant-shape.ts'
import type { RegistrationContext, EventSnapshot } from '../registration/event-snapshot.ts'
import type { RegistrationProgress } from './progress.ts'
import { NON_ANSWER_FORM_FIELDS, type GetFormValues, listPageWidgets } from './sent-page.ts'

export const findBoothRequestWidget = (
  progress: Pick<RegistrationProgress, 'flow'>,
  page: string,
): WidgetOfType<'boothRequest'> | undefined =>
  listPageWidgets(progress, page).find((widget): widget is WidgetOfType<'boothRequest'> => widget.type === 'boothRequest')

/**
 * Reads the booth request from a submitted page of the form. Returns undefined if the page had no booth request widget, and an error for
 * each unknown booth number.
 */
export async function readBoothRequest(
  ctx: RegistrationContext,
  progress: RegistrationProgress,
  page: string,
  sent: GetFormValues,
): Promise<{ request: BoothRequest | null | undefined; errors: readonly FieldError[] }> {
  const widget = findBoothRequestWidget(progress, page)
  if (!widget || !sent(NON_ANSWER_FORM_FIELDS.shown).includes(widget.id)) return { request: undefined, errors: [] }
  const ranked = (field: (rank: number) => string, most: number) => [
    ...new Set(Array.from({ length: most }, (_, index) => sent(field(index + 1))[0]?.trim() ?? '').filter((value) => value !== '')),
  ]
  const { request, unknownRanks } = await checkBoothRequest(ctx, progress.snapshot.config, widget, {
    sizes: ranked(NON_ANSWER_FORM_FIELDS.boothSize, MAX_REQUESTED_BOOTH_SIZES),
    boothNumbers: ranked(NON_ANSWER_FORM_FIELDS.boothNumber, widget.maxPreferences),
    acceptOther: sent(NON_ANSWER_FORM_FIELDS.boothOther)[0] === 'true',
  })
  return { request, errors: unknownRanks.map((rank) => toFieldError(NON_ANSWER_FORM_FIELDS.boothNumber(rank), 'error.booth')) }
}

/** Creates a booth application of the participant's company from the stored booth request, once the registration is complete. */
export async function submitBoothRequest(
  ctx: RegistrationContext,
  { config }: EventSnapshot,
  row: ParticipantRow,
  request: BoothRequest | null,
): Promise<void> {
  if (request === null || row.status !== 'complete') return
  const { company, email, website, country } = row
  const applicant = {
    participantId: row.id,
    isTestData: row.is_test_data,
    name: formatParticipantName(row),
    email: email ?? '',
    company: company ?? formatParticipantName(row),
    ...(website === null ? {} : { website }),
    ...(country === null ? {} : { country }),
  }
  const { companyId, isNew } = await applyForBooth(ctx, config, applicant, { wanted: request, answers: row.custom_field_responses })
  if (!isNew) return
  await setParticipantCompany(ctx, row.id, companyId)
  await createLicencesOfNewAdmin(ctx, config, row.id)
}
