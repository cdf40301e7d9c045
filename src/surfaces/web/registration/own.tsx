import type { Child } from 'hono/jsx'
import { chooseOfPersonSession, type PersonSession } from '../../../domains/codes/person-sessions.ts'
import { nameOf, type ParticipantRow } from '../../../domains/registration/participant-shape.ts'
import { getParticipants } from '../../../domains/registration/people.ts'
import type { AtEvent } from '../../../domains/registration/scene.ts'
import { Button, Form, LinkButton } from '../components/forms.tsx'
import { Card, Notice } from '../components/parts.tsx'
import { Narrow, showAt } from '../event/frame.tsx'
import { actingAs, personAt } from '../event/person.ts'
import { changeHere, contextAt, type Place, placeOf, previewHere } from '../event/place.ts'
import { showMissing } from '../lost.tsx'
import { csrfFor, type FormValues, readForm, type Web, type WebContext } from '../web.ts'

/** A person on the pages of their own registration. */
export interface Own {
  place: Place
  person: PersonSession
  row: ParticipantRow
  /** For reading, in their name. */
  ctx: AtEvent
}

/** As the participant's tools see them, so that pages and assistants tell the same. */
export const asRegistrant = ({ ctx, person, row }: Own) => ({
  ...ctx,
  person: { email: person.email, participantIds: person.participantIds, participantId: row.id },
})

type Handler<R> = (c: WebContext, own: Own) => Promise<R> | R

/** Lets people through to their own registration and to no other: whoever is not signed in does that first, whoever has several chooses. */
export const forOwner =
  <R extends Response>(web: Web, handler: Handler<R>) =>
  async (c: WebContext) => {
    const place = await placeOf(web, c)
    if (!place) return showMissing(web, c)
    const person = await personAt(web, c, place)
    if (!person) {
      // Mails lead to the room itself.
      const next = c.req.method === 'GET' && c.req.path === place.paths.housing ? `?next=${encodeURIComponent(c.req.path)}` : ''
      return c.redirect(`${place.paths.signIn}${next}`, 303)
    }
    if (person.participantIds.length === 0) return showNone(web, c, place, person.email)
    const ctx = contextAt(web, place, web.road.database.read, actingAs(place, person.email))
    const rows = await getParticipants(ctx, person.participantIds)
    const row = rows.find(({ id }) => id === person.participantId) ?? (rows.length === 1 ? rows[0] : undefined)
    return row ? handler(c, { place, person, row, ctx }) : showChoice(web, c, place, rows)
  }

/** The same for what a form asks to be done. A form that is not ours leads back to the page it belongs to. */
export const whenOwnerSends = <R extends Response>(
  web: Web,
  back: (place: Place) => string,
  handler: (c: WebContext, own: Own, form: FormValues) => Promise<R>,
) =>
  forOwner(web, async (c, own): Promise<Response> => {
    const form = await readForm(web, c)
    return form ? handler(c, own, form) : c.redirect(back(own.place), 303)
  })

export const changeOwn = <T,>(web: Web, { place, person }: Own, action: string, run: (ctx: AtEvent) => Promise<T>): Promise<T> =>
  changeHere(web, place, { action, actor: actingAs(place, person.email) }, run)

export const previewOwn = <T,>(web: Web, { place, person }: Own, action: string, run: (ctx: AtEvent) => Promise<T>): Promise<T> =>
  previewHere(web, place, { action, actor: actingAs(place, person.email) }, run)

/** Whoever proved to read a mailbox may know that nothing is registered under it. */
function showNone(web: Web, c: WebContext, place: Place, email: string) {
  const { say } = place.words
  return showAt(
    web,
    c,
    place,
    { title: say('mine.none'), status: 404 },
    <Narrow title={say('mine.none')}>
      <p>{say('mine.noneText', { email })}</p>
      <div class="actions">
        <LinkButton href={place.paths.home} tone="primary">
          {say('register.toEvent')}
        </LinkButton>
        <LinkButton href={`${place.paths.signIn}?email=`}>{say('signIn.otherEmail')}</LinkButton>
      </div>
    </Narrow>,
  )
}

/** Several people may share a mailbox. */
function showChoice(web: Web, c: WebContext, place: Place, rows: readonly ParticipantRow[]) {
  const { say } = place.words
  return showAt(
    web,
    c,
    place,
    { title: say('mine.choose') },
    <div class="checkout narrow">
      <h1>{say('mine.choose')}</h1>
      <Card>
        <Form action={`${place.paths.myRegistration}/choose`} csrf={csrfFor(web, c)} class="options">
          {rows.map((row) => (
            <Button name="participantId" value={row.id} wide>
              {nameOf(row)} · {say(`status.${row.status}`)}
            </Button>
          ))}
        </Form>
      </Card>
    </div>,
  )
}

export async function chooseOwn(web: Web, c: WebContext) {
  const place = await placeOf(web, c)
  if (!place) return showMissing(web, c)
  const person = await personAt(web, c, place)
  const form = await readForm(web, c)
  if (person && form?.['participantId'])
    await chooseOfPersonSession(web.road.database.write, { tenantId: place.tenantId, tokenHash: person.tokenHash }, form['participantId'])
  return c.redirect(place.paths.myRegistration, 303)
}

const NOTICES = {
  saved: 'mine.saved',
  cancelled: 'mine.cancelledNow',
  paid: 'mine.paidNow',
  roomGone: 'stay.gone',
  shared: 'stay.shared',
  declined: 'stay.declined',
  left: 'stay.left',
  roomTaken: 'stay.taken',
  offerRefused: 'stay.offerRefused',
  secured: 'stay.securedCard',
} as const

/** What the page before did. Only sentences of ours can be shown, whatever the address says. */
function noticeOf(c: WebContext, { words }: Place) {
  const done = c.req.query('done') ?? ''
  return Object.hasOwn(NOTICES, done) ? <Notice tone="success">{words.say(NOTICES[done as keyof typeof NOTICES])}</Notice> : null
}

/** A page of somebody's own registration, with the way back to it. */
export function showOwn(
  web: Web,
  c: WebContext,
  { place }: Pick<Own, 'place'>,
  { title, status, wide = false, leavesSite = false }: { title: string; status?: 200 | 400; wide?: boolean; leavesSite?: boolean },
  body: Child,
) {
  return showAt(
    web,
    c,
    place,
    { title, ...(status ? { status } : {}), leavesSite },
    <div class={wide ? 'mine' : 'mine narrow'}>
      {wide ? null : (
        <a class="tap" href={place.paths.myRegistration}>
          ← {place.words.say('mine.back')}
        </a>
      )}
      {noticeOf(c, place)}
      {body}
    </div>,
  )
}
