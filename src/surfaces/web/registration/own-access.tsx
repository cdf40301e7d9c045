import type { Child } from 'hono/jsx'
import { setSessionRegistration, type PersonSession } from '../../../domains/codes/person-sessions.ts'
import { formatParticipantName, type ParticipantRow } from '../../../domains/registration/participant-shape.ts'
import { getParticipants } from '../../../domains/registration/participant-rows.ts'
import type { RegistrationContext } from '../../../domains/registration/event-snapshot.ts'
import { Button, Form, LinkButton } from '../components/forms.tsx'
import { Card, Notice } from '../components/parts.tsx'
import { BackLink, NarrowPage, showEventPage } from '../event/event-layout.tsx'
import { toSignedInVisitorActor, findPersonSignInSession } from '../event/person.ts'
import {
  runChangeFromEventPage,
  createPublicEventContext,
  type EventSite,
  findEventSite,
  previewChangeFromEventPage,
} from '../event/event-site.ts'
import { sendNotFoundPage } from '../error-pages.tsx'
import { getCsrfToken, type FormValues, readSameOriginForm, type WebServices, type WebContext } from '../web.ts'

/** A signed-in participant and their registration. */
export interface OwnRegistrationAccess {
  site: EventSite
  person: PersonSession
  row: ParticipantRow
  /** Read-only context with the participant as actor. */
  ctx: RegistrationContext
}

/** Creates the context of the participant tools, so that pages and assistants show the same data. */
export const toRegistrantContext = ({ ctx, person, row }: OwnRegistrationAccess) => ({
  ...ctx,
  person: { email: person.email, participantIds: person.participantIds, participantId: row.id },
})

type Handler<R> = (c: WebContext, own: OwnRegistrationAccess) => Promise<R> | R

/** Admits participants to their own registration: visitors sign in first, and participants with several registrations choose one. */
export const withOwnRegistrationAccess =
  <R extends Response>(web: WebServices, handler: Handler<R>) =>
  async (c: WebContext) => {
    const site = await findEventSite(web, c)
    if (!site) return sendNotFoundPage(web, c)
    const person = await findPersonSignInSession(web, c, site)
    if (!person) {
      // Emails link to these pages, so signing in returns to them.
      const linked = [site.paths.housing, site.paths.pay].includes(c.req.path)
      const next = c.req.method === 'GET' && linked ? `?next=${encodeURIComponent(c.req.path)}` : ''
      return c.redirect(`${site.paths.signIn}${next}`, 303)
    }
    if (person.participantIds.length === 0) return showNoRegistration(web, c, site, person.email)
    const ctx = createPublicEventContext(web, site, web.services.database.read, toSignedInVisitorActor(site, person.email))
    const rows = await getParticipants(ctx, person.participantIds)
    const row = rows.find(({ id }) => id === person.participantId) ?? (rows.length === 1 ? rows[0] : undefined)
    return row ? handler(c, { site, person, row, ctx }) : showChoice(web, c, site, rows)
  }

/** Like `withOwnRegistrationAccess`, for POST requests. A form with an invalid CSRF token redirects to its page. */
export const handleOwnRegistrationPost = <R extends Response>(
  web: WebServices,
  back: (site: EventSite) => string,
  handler: (c: WebContext, own: OwnRegistrationAccess, form: FormValues) => Promise<R>,
) =>
  withOwnRegistrationAccess(web, async (c, own): Promise<Response> => {
    const form = await readSameOriginForm(web, c)
    return form ? handler(c, own, form) : c.redirect(back(own.site), 303)
  })

export const runOwnRegistrationChange = <T,>(
  web: WebServices,
  { site, person }: OwnRegistrationAccess,
  action: string,
  run: (ctx: RegistrationContext) => Promise<T>,
): Promise<T> => runChangeFromEventPage(web, site, { action, actor: toSignedInVisitorActor(site, person.email) }, run)

export const previewOwnRegistrationChange = <T,>(
  web: WebServices,
  { site, person }: OwnRegistrationAccess,
  action: string,
  run: (ctx: RegistrationContext) => Promise<T>,
): Promise<T> => previewChangeFromEventPage(web, site, { action, actor: toSignedInVisitorActor(site, person.email) }, run)

/** Shows that no registration exists. The page may reveal that, because the visitor has proved access to the mailbox. */
function showNoRegistration(web: WebServices, c: WebContext, site: EventSite, email: string) {
  const { say } = site.words
  return showEventPage(
    web,
    c,
    site,
    { title: say('myRegistration.none'), status: 404 },
    <NarrowPage title={say('myRegistration.none')}>
      <p>{say('myRegistration.noneText', { email })}</p>
      <div class="actions">
        <LinkButton href={site.paths.home} tone="primary">
          {say('register.toEvent')}
        </LinkButton>
        <LinkButton href={`${site.paths.signIn}?email=`}>{say('signIn.otherEmail')}</LinkButton>
      </div>
    </NarrowPage>,
  )
}

/** Shows the choice between the registrations of one email address, which several people may share. */
function showChoice(web: WebServices, c: WebContext, site: EventSite, rows: readonly ParticipantRow[]) {
  const { say } = site.words
  return showEventPage(
    web,
    c,
    site,
    { title: say('myRegistration.choose') },
    <div class="checkout narrow">
      <h1>{say('myRegistration.choose')}</h1>
      <Card>
        <Form action={`${site.paths.myRegistration}/choose`} csrf={getCsrfToken(web, c)} class="options">
          {rows.map((row) => (
            <Button name="participantId" value={row.id} wide>
              {formatParticipantName(row)} · {say(`status.${row.status}`)}
            </Button>
          ))}
        </Form>
      </Card>
    </div>,
  )
}

export async function showRegistrationChoice(web: WebServices, c: WebContext) {
  const site = await findEventSite(web, c)
  if (!site) return sendNotFoundPage(web, c)
  const person = await findPersonSignInSession(web, c, site)
  const form = await readSameOriginForm(web, c)
  if (person && form?.['participantId'])
    await setSessionRegistration(
      web.services.database.write,
      { tenantId: site.tenantId, tokenHash: person.tokenHash },
      form['participantId'],
    )
  return c.redirect(site.paths.myRegistration, 303)
}

const NOTICE_KEYS = {
  saved: 'myRegistration.saved',
  cancelled: 'myRegistration.cancelledNotice',
  paid: 'myRegistration.paidNotice',
  roomGone: 'stay.cancelled',
  hotels: 'stay.alsoSaved',
  shared: 'stay.shared',
  declined: 'stay.declined',
  left: 'stay.leftWaitlist',
  roomTaken: 'stay.offerAccepted',
  offerRefused: 'stay.offerDeclined',
  waitsAgain: 'offer.waitsAgain',
  secured: 'stay.securedCard',
} as const

/** Notice about the previous action. Only predefined texts are shown, because the query string is user input. */
function noticeOf(c: WebContext, { words }: EventSite) {
  const done = c.req.query('done') ?? ''
  return Object.hasOwn(NOTICE_KEYS, done) ? (
    <Notice tone="success">{words.say(NOTICE_KEYS[done as keyof typeof NOTICE_KEYS])}</Notice>
  ) : null
}

/** Renders a page of the participant's registration, with a link back to it. */
export function showOwnRegistrationPage(
  web: WebServices,
  c: WebContext,
  { site }: Pick<OwnRegistrationAccess, 'site'>,
  { title, status, wide = false, leavesSite = false }: { title: string; status?: 200 | 400; wide?: boolean; leavesSite?: boolean },
  body: Child,
) {
  return showEventPage(
    web,
    c,
    site,
    { title, ...(status ? { status } : {}), leavesSite },
    <div class={wide ? 'mine' : 'mine narrow'}>
      {wide ? null : <BackLink href={site.paths.myRegistration}>{site.words.say('myRegistration.back')}</BackLink>}
      {noticeOf(c, site)}
      {body}
    </div>,
  )
}
