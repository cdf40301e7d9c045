import { methodsFor } from '../../../domains/checkout/methods.ts'
import type { Progress } from '../../../domains/checkout/progress.ts'
import { quoteOf } from '../../../domains/checkout/quote.ts'
import { searchRooms } from '../../../domains/checkout/room-search.ts'
import { FIELDS, type Sent, VISIBLE, widgetsOn } from '../../../domains/checkout/sent-page.ts'
import { filesIn } from '../../../domains/checkout/uploads.ts'
import { boothsForApplying, plansForApplying } from '../../../domains/exhibitors/booths-for-applying.ts'
import { eventPictures } from '../../../domains/files/event-pictures.ts'
import { placesLeft } from '../../../domains/registration/openings.ts'
import type { AtEvent } from '../../../domains/registration/scene.ts'
import { liveEnrolments } from '../../../domains/sessions/enrolments.ts'
import { programOf } from '../../../domains/sessions/program.ts'
import type { FieldError } from '../../../kernel/errors.ts'
import type { Place } from '../event/place.ts'
import type { View } from './view.ts'
import { faultInWords } from './words.ts'

const PICTURES_FOR_SECONDS = 86_400

interface Showing {
  page?: string
  /** What was sent and could not be kept; then it is shown again as it was sent. */
  sent?: Sent
  errors?: readonly FieldError[]
  guest?: number | null
  /** What is shown and not asked, with why; the address alone when left out. */
  given?: ReadonlyMap<string, string>
}

/** Reads what a page needs beside the registration itself. */
export async function readView(
  ctx: AtEvent,
  place: Place,
  progress: Progress,
  { page, sent, errors = [], guest = null, given }: Showing = {},
): Promise<View> {
  const flow = place.config.flows.find(({ slug }) => slug === progress.flow.slug) ?? progress.flow
  const widgets = page === undefined ? [] : widgetsOn({ flow }, page)
  const pictures = widgets.flatMap((widget) => (widget.type === 'image' ? [widget.fileId] : []))
  const telling = { words: place.words, config: place.config, missing: progress.walk.missing }
  const valueOf = valuesOf(progress, sent)
  return {
    place,
    flow,
    config: place.config,
    progress,
    quote: quoteOf(progress),
    valueOf,
    errors: errors.map((error) => ({ ...error, message: faultInWords(telling, error) })),
    given: given ?? new Map([['@participant.email', place.words.say('field.given')]]),
    left: await placesLeft(ctx),
    files: await filesIn(ctx, progress),
    pictures: await eventPictures(ctx, pictures, PICTURES_FOR_SECONDS),
    methods: methodsFor(ctx, progress),
    ...(await programFor(ctx, progress)),
    guest,
    booths: widgets.some(({ type }) => type === 'boothRequest')
      ? { plans: await plansForApplying(ctx), free: (await boothsForApplying(ctx)).booths }
      : null,
    rooms: widgets.some(({ type }) => type === 'housing') ? await searchRooms(ctx, progress, { valueOf, event: place.facts }) : null,
  }
}

/** Flows that ask for no session need not know what is on. */
async function programFor(ctx: AtEvent, { flow, row }: Progress): Promise<Pick<View, 'program' | 'enrolled'>> {
  const asks = flow.pages.some(({ widgets }) => widgets.some(({ type }) => type === 'sessions'))
  if (!asks) return { program: [], enrolled: new Map() }
  const live = await liveEnrolments(ctx, row.id)
  return {
    program: await programOf(ctx),
    enrolled: new Map(live.map(({ sessionId, status }) => [sessionId, status === 'enrolled' ? 'enrolled' : 'waitlisted'])),
  }
}

/** As sent where the page sent it, else as it is kept. */
function valuesOf({ answers, row }: Progress, sent: Sent | undefined): Sent {
  const keptUnder = (name: string): unknown => {
    if (name === '@participant.email') return row.email
    if (name === FIELDS.sharing(VISIBLE)) return row.visible_to_participants ? 'share' : null
    return name.startsWith('sharing.') ? row.sharing[name.slice('sharing.'.length)] : answers[name]
  }
  const kept = (name: string): readonly string[] => {
    const value = keptUnder(name)
    return value === null || value === undefined ? [] : [value].flat().map(String)
  }
  if (!sent) return kept
  const wasSent = sent(FIELDS.shown).length > 0
  return (name) => {
    const values = sent(name)
    return values.length > 0 || (wasSent && isTicked(name)) ? values : kept(name)
  }
}

/** Boxes that were left empty are not sent at all. */
const isTicked = (name: string) => /^@(policy|product|custom|session)\./.test(name)
