import { listPaymentMethods } from '../../../domains/checkout/payment-methods.ts'
import { DISCOUNT_CODE_ANSWER_KEY, omitDiscountCode } from '../../../domains/checkout/discount-code.ts'
import type { RegistrationProgress } from '../../../domains/checkout/progress.ts'
import { buildRegistrationQuote } from '../../../domains/checkout/quote.ts'
import { listAlternativeHotelNames } from '../../../domains/checkout/other-hotels.ts'
import { searchRooms } from '../../../domains/checkout/room-search.ts'
import {
  NON_ANSWER_FORM_FIELDS,
  type GetFormValues,
  PARTICIPANT_VISIBILITY_FIELD,
  listPageWidgets,
} from '../../../domains/checkout/sent-page.ts'
import { listUploadedFiles } from '../../../domains/checkout/uploads.ts'
import { listAvailableBooths, drawPublishedPlans } from '../../../domains/exhibitors/available-booths.ts'
import { listEventPictureLinks } from '../../../domains/files/event-pictures.ts'
import { readRemainingCapacity } from '../../../domains/registration/flows/flow-openings.ts'
import type { RegistrationContext } from '../../../domains/registration/event-snapshot.ts'
import { listActiveEnrolments } from '../../../domains/sessions/enrolments.ts'
import { listScheduledSessions } from '../../../domains/sessions/program.ts'
import type { FieldError } from '../../../kernel/errors.ts'
import type { EventSite } from '../event/event-site.ts'
import type { RegistrationPageView } from './view.ts'
import { translateFieldError } from './messages.ts'

const PICTURES_FOR_SECONDS = 86_400

interface ViewOptions {
  page?: string
  /** Submitted form values that were rejected and are shown again. */
  sent?: GetFormValues
  errors?: readonly FieldError[]
  guest?: number | null
  /** The `at` parameter of the URL: the id of the widget at which the page opens, see `buildPathToWidget`. */
  at?: string | undefined
  /** Fields that cannot be edited, each with the reason. If omitted, only the email address is read-only. */
  given?: ReadonlyMap<string, string>
}

/** Loads the data that the pages of a registration form show, in addition to the registration itself. */
export async function readRegistrationPageView(
  ctx: RegistrationContext,
  site: EventSite,
  progress: RegistrationProgress,
  { page, sent, errors = [], guest = null, at, given }: ViewOptions = {},
): Promise<RegistrationPageView> {
  const flow = site.config.flows.find(({ slug }) => slug === progress.flow.slug) ?? progress.flow
  const widgets = page === undefined ? [] : listPageWidgets({ flow }, page)
  const pictures = widgets.flatMap((widget) => (widget.type === 'image' ? [widget.fileId] : []))
  const translation = { words: site.words, config: site.config, missing: progress.walk.missing }
  const valueOf = valuesOf(progress, sent)
  return {
    site,
    flow,
    config: site.config,
    progress,
    // A refused discount code changes no price, even if it was refused only because all its uses are taken.
    quote: buildRegistrationQuote(errors.some(({ path }) => path === DISCOUNT_CODE_ANSWER_KEY) ? omitDiscountCode(progress) : progress),
    valueOf,
    errors: errors.map((error) => ({ ...error, message: translateFieldError(translation, error) })),
    readOnlyReasons: given ?? new Map([['@participant.email', site.words.say('field.emailHelp')]]),
    left: await readRemainingCapacity(ctx),
    files: await listUploadedFiles(ctx, progress),
    pictures: await listEventPictureLinks(ctx, pictures, PICTURES_FOR_SECONDS),
    methods: listPaymentMethods(ctx, progress),
    ...(await programFor(ctx, progress)),
    guest,
    pressedWidget: widgets.find(({ id }) => id === at)?.id ?? null,
    booths: widgets.some(({ type }) => type === 'boothRequest')
      ? { plans: await drawPublishedPlans(ctx), free: (await listAvailableBooths(ctx)).booths }
      : null,
    otherHotels: await listAlternativeHotelNames(ctx, progress),
    rooms: widgets.some(({ type }) => type === 'housing') ? await searchRooms(ctx, progress, { valueOf, event: site.facts }) : null,
  }
}

/** Loads the programme, only for flows with a sessions widget. */
async function programFor(
  ctx: RegistrationContext,
  { flow, row }: RegistrationProgress,
): Promise<Pick<RegistrationPageView, 'program' | 'enrolled'>> {
  const asks = flow.pages.some(({ widgets }) => widgets.some(({ type }) => type === 'sessions'))
  if (!asks) return { program: [], enrolled: new Map() }
  const live = await listActiveEnrolments(ctx, row.id)
  return {
    program: await listScheduledSessions(ctx),
    enrolled: new Map(live.map(({ sessionId, status }) => [sessionId, status === 'enrolled' ? 'enrolled' : 'waitlisted'])),
  }
}

/** Reads a field from the submitted form, else from the saved answers. */
function valuesOf({ answers, row }: RegistrationProgress, sent: GetFormValues | undefined): GetFormValues {
  const savedAnswer = (name: string): unknown => {
    if (name === '@participant.email') return row.email
    if (name === NON_ANSWER_FORM_FIELDS.sharing(PARTICIPANT_VISIBILITY_FIELD)) return row.visible_to_participants ? 'share' : null
    return name.startsWith('sharing.') ? row.sharing[name.slice('sharing.'.length)] : answers[name]
  }
  const savedValues = (name: string): readonly string[] => {
    const value = savedAnswer(name)
    return value === null || value === undefined ? [] : [value].flat().map(String)
  }
  if (!sent) return savedValues
  const wasSent = sent(NON_ANSWER_FORM_FIELDS.shown).length > 0
  return (name) => {
    const values = sent(name)
    return values.length > 0 || (wasSent && isCheckbox(name)) ? values : savedValues(name)
  }
}

/** Whether a field is a checkbox. Browsers do not submit unchecked boxes, so a missing value means unchecked. */
const isCheckbox = (name: string) => /^@(policy|product|custom|session)\./.test(name)
