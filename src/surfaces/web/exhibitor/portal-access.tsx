import type { Child } from 'hono/jsx'
import { listPortalCompanies } from '../../../domains/exhibitors/portal/access.ts'
import { type PortalCounts, readPortalCounts } from '../../../domains/exhibitors/portal/figures.ts'
import type { CompanyRow } from '../../../domains/exhibitors/companies.ts'
import type { RegistrationContext } from '../../../domains/registration/event-snapshot.ts'
import type { Actor, EventContext } from '../../../kernel/context.ts'
import { foldEmailCase } from '../../../kernel/email-address.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { Permission } from '../../../kernel/permissions.ts'
import { LinkButton } from '../components/forms.tsx'
import { Notice } from '../components/parts.tsx'
import { sendNotFoundPage } from '../error-pages.tsx'
import { NarrowPage, showEventPage } from '../event/event-layout.tsx'
import { runChangeFromEventPage, PUBLIC_EVENT_PATH, createPublicEventContext, type EventSite, findEventSite } from '../event/event-site.ts'
import { findPersonSignInSession } from '../event/person.ts'
import type { SignInArea } from '../event/sign-in.tsx'
import { SignOutForm } from '../event/sign-out.tsx'
import { getCsrfToken, type FormValues, readSameOriginForm, type WebContext, type WebServices } from '../web.ts'
import { findOutcomeNotice } from './notices.ts'

export const EXHIBITOR_PATH = `${PUBLIC_EVENT_PATH}/exhibitor`

/**
 * The sign-in area of the exhibitor portal. Contacts and booth staff sign in with an emailed code, which gives no access to their
 * registration.
 */
export const EXHIBITOR_SIGN_IN_AREA: SignInArea = {
  route: EXHIBITOR_PATH,
  purpose: 'company',
  kind: 'exhibitor',
  home: (_c, { paths }) => paths.exhibitor,
  text: 'signIn.exhibitorText',
}

/** The signed-in person and the company that they represent, for the pages of the exhibitor portal. */
export interface PortalAccess {
  site: EventSite
  actor: Actor
  /** A read-only context with the permissions of the company. */
  ctx: EventContext
  company: CompanyRow
  /** Whether the person manages the company, as its contact and admins do. Other staff see its leads and appointments. */
  manages: boolean
  email: string
  /** Path of the portal's first page. */
  home: string
  /** Whether the person belongs to several companies. */
  hasChoice: boolean
}

/**
 * The permissions of a company: it sees the shared data of its leads in full, and changes its own records. Each page checks that a record
 * is its own.
 */
const COMPANY_PERMISSIONS: ReadonlySet<Permission> = new Set<Permission>(['exhibitors.read', 'exhibitors.write', 'personal.read'])

/** Creates a context with which portal pages call the functions behind the organizer's tools, limited to the records of the company. */
const toCompanyContext = (ctx: RegistrationContext): EventContext => ({
  ...ctx,
  access: { clients: [], staff: [] },
  client: { ...ctx.client, active: true, aiAssistantsAllowed: false, roles: [] },
  permissions: COMPANY_PERMISSIONS,
})

type Handler<R> = (c: WebContext, at: PortalAccess) => Promise<R> | R

/**
 * Admits contacts and staff of a company and redirects all other visitors to sign in. Access is read from the database on every request.
 */
export const withExhibitorAccess =
  <R extends Response>(web: WebServices, handler: Handler<R>) =>
  async (c: WebContext): Promise<Response> => {
    const site = await findEventSite(web, c)
    if (!site) return sendNotFoundPage(web, c)
    const home = site.paths.exhibitor
    const session = await findPersonSignInSession(web, c, site, 'exhibitor')
    if (!session) return c.redirect(`${home}/sign-in?${new URLSearchParams({ next: c.req.path }).toString()}`, 303)
    const companies = await listPortalCompanies(createPublicEventContext(web, site), session.email)
    if (companies.length === 0) return showNoCompany(web, c, site, session.email)
    const chosen = companies.length === 1 ? companies[0]! : companies.find(({ company }) => company.id === session.companyId)
    if (!chosen) return c.redirect(`${home}/companies`, 303)
    const { company, manages, name } = chosen
    const { email } = session
    const app = { id: null, name: 'web' }
    const actor: Actor = { kind: 'exhibitor', id: `${company.id}:${foldEmailCase(email)}`, name: name ?? email, app }
    const ctx = toCompanyContext(createPublicEventContext(web, site, web.services.database.read, actor))
    return handler(c, { site, actor, ctx, company, manages, email, home, hasChoice: companies.length > 1 })
  }

/** Admits only people who manage the company; for others the page does not exist. */
export const withExhibitorManagerAccess = <R extends Response>(web: WebServices, handler: Handler<R>) =>
  withExhibitorAccess(web, (c, at): Promise<Response> | Response => (at.manages ? handler(c, at) : sendNotFoundPage(web, c)))

export const isPortalEditable = ({ site }: Pick<PortalAccess, 'site'>) => site.event.status !== 'archived'

type PostHandler = (c: WebContext, at: PortalAccess, form: FormValues) => Promise<Response>

const onForm =
  (web: WebServices, handler: PostHandler) =>
  async (c: WebContext, at: PortalAccess): Promise<Response> => {
    const form = await readSameOriginForm(web, c)
    return form && isPortalEditable(at) ? handler(c, at, form) : c.redirect(at.home, 303)
  }

/** Handles a form of the portal. A form with an invalid CSRF token, or of an archived event, redirects to the first page. */
export const handleExhibitorPost = (web: WebServices, handler: PostHandler) => withExhibitorAccess(web, onForm(web, handler))

/** Handles a form that only people who manage the company may send. */
export const handleExhibitorManagerPost = (web: WebServices, handler: PostHandler) => withExhibitorManagerAccess(web, onForm(web, handler))

export const runExhibitorChange = <T,>(
  web: WebServices,
  { site, actor }: PortalAccess,
  action: string,
  run: (ctx: EventContext) => Promise<T>,
): Promise<T> => runChangeFromEventPage(web, site, { action, actor }, (ctx) => run(toCompanyContext(ctx)))

/**
 * Returns null for a refused change, for example of a record that has changed since the page was shown. Rethrows errors about unknown
 * records and unexpected errors.
 */
export function ignoreRefusedChangeError(error: unknown): null {
  if (error instanceof AppError && error.code !== 'internal' && error.code !== 'not_found') return null
  throw error
}

function showNoCompany(web: WebServices, c: WebContext, site: EventSite, email: string) {
  const { say } = site.words
  return showEventPage(
    web,
    c,
    site,
    { title: say('portal.noCompany'), status: 404 },
    <NarrowPage title={say('portal.noCompany')}>
      <p>{say('portal.noCompanyText', { email, event: site.config.details.name })}</p>
      <LinkButton href={`${site.paths.exhibitor}/sign-in?email=`}>{say('group.otherEmail')}</LinkButton>
    </NarrowPage>,
  )
}

export type PortalSection = 'overview' | 'leads' | 'staff' | 'devices' | 'appointments'

const PortalNav = ({ at, figures, current }: { at: PortalAccess; figures: PortalCounts; current: PortalSection }) => {
  const { say } = at.site.words
  const { leads, passes, devices, requests } = figures
  const links: [PortalSection, string, string | null][] = [
    ['overview', at.home, null],
    ['leads', `${at.home}/leads`, String(leads.total)],
    ...(at.manages
      ? ([
          ['staff', `${at.home}/staff`, say('portal.usedOf', { used: passes.used, total: passes.total })],
          ['devices', `${at.home}/devices`, String(devices.active)],
        ] as [PortalSection, string, string][])
      : []),
    ['appointments', `${at.home}/appointments`, requests > 0 ? say('portal.newRequests', { count: requests }) : null],
  ]
  return (
    <nav class="portal-nav" aria-label={say('portal.title')}>
      <ul>
        {links.map(([section, href, figure]) => (
          <li>
            <a href={href} aria-current={section === current ? 'page' : undefined}>
              {say(`portal.${section}`)}
              {figure === null ? null : <span> {figure}</span>}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** The heading of a page of the portal, with an introduction and a button beside it. */
export const PortalHeading = ({ title, text, action }: { title: string; text?: Child; action?: Child }) => (
  <div class="portal-h">
    <div>
      <h1>{title}</h1>
      {text ? <p>{text}</p> : null}
    </div>
    {action ?? null}
  </div>
)

interface PortalPage {
  title: string
  section: PortalSection
  status?: 200 | 400
  /** The counts beside the navigation entries, if the page has read them. */
  figures?: PortalCounts
}

/** Renders a page of the portal with its navigation, and the notice about the previous action. */
export async function showPortalPage(web: WebServices, c: WebContext, at: PortalAccess, page: PortalPage, body: Child) {
  const { site, company, email, home } = at
  const { say } = site.words
  const figures = page.figures ?? (await readPortalCounts(at.ctx, company))
  const notice = findOutcomeNotice(c, site)
  return showEventPage(
    web,
    c,
    site,
    {
      title: page.title === company.name ? company.name : `${page.title} · ${company.name}`,
      nav: <PortalNav at={at} figures={figures} current={page.section} />,
      ...(page.status ? { status: page.status } : {}),
    },
    <div class="mine portal">
      {isPortalEditable(at) ? null : <Notice tone="warning">{say('portal.ended')}</Notice>}
      {notice ? <Notice tone={notice.tone}>{notice.text}</Notice> : null}
      {body}
      <div class="portal-foot small muted">
        {at.hasChoice ? <a href={`${home}/companies`}>{say('portal.changeCompany')}</a> : null}
        <SignOutForm site={site} action={`${home}/sign-out`} csrf={getCsrfToken(web, c)} email={email} />
      </div>
    </div>,
  )
}
