import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import { findOpenOfferForCompany, type OpenBoothOffer } from '../../../domains/exhibitors/applications/open-offer.ts'
import { readBoothPlans } from '../../../domains/exhibitors/booths/booth-plans.ts'
import { listPublishedBoothIds } from '../../../domains/exhibitors/company/booth-areas.ts'
import { type CompanyMeeting, listCompanyMeetings } from '../../../domains/exhibitors/portal/appointments.ts'
import { type PortalCounts, readPortalCounts } from '../../../domains/exhibitors/portal/figures.ts'
import { formatDay, formatInstantWithTimeZone } from '../../../kernel/language/format.ts'
import { toDayInZone, daysBetween, endOfDay, startOfDay } from '../../../kernel/time.ts'
import { LinkButton } from '../components/forms.tsx'
import { Card, DescriptionList, StatusLabel } from '../components/parts.tsx'
import { formatBoothSize } from '../event/booth-offer.tsx'
import { createEventRouter } from '../event/event-layout.tsx'
import type { EventSite } from '../event/event-site.ts'
import type { WebContext, WebServices } from '../web.ts'
import { type CompanyOrder, CompanyInvoices, readCompanyOrder } from './invoices.tsx'
import { MeetingList } from './meetings.tsx'
import { CountWithTotal, PortalIcon, UsageBar } from './parts.tsx'
import { formatRelativeDayAndTime } from './times.ts'
import { EXHIBITOR_PATH, withExhibitorAccess, type PortalAccess, PortalHeading, showPortalPage } from './portal-access.tsx'

type Booths = Awaited<ReturnType<typeof readBoothPlans>>

const Tile = ({ id, title, href, link, children }: { id: string; title: string; href: string; link: string; children: Child }) => (
  <section class="card" aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {children}
    <a class="tap" href={href}>
      {link}
      <PortalIcon of="next" />
    </a>
  </section>
)

const Tiles = ({ at: { site, home, manages }, figures }: { at: PortalAccess; figures: PortalCounts }) => {
  const { say } = site.words
  const { leads, passes, devices } = figures
  const passText = say('portal.passesUsed', { total: passes.total })
  const deviceText = say('portal.scannersActive', { total: devices.seats })
  return (
    <div class="tiles">
      <Tile id="tile-leads" title={say('portal.leads')} href={`${home}/leads`} link={say('portal.openLeads')}>
        <CountWithTotal count={leads.total} text={say('portal.today', { count: leads.today })} />
        <p class="small muted">{say('portal.unrated', { count: leads.unrated })}</p>
      </Tile>
      {manages ? (
        <>
          <Tile id="tile-staff" title={say('portal.passes')} href={`${home}/staff`} link={say('portal.addStaff')}>
            <CountWithTotal count={passes.used} text={passText} />
            <UsageBar used={passes.used} total={passes.total} label={`${passes.used} ${passText}`} />
          </Tile>
          <Tile id="tile-devices" title={say('portal.devices')} href={`${home}/devices`} link={say('portal.manageDevices')}>
            <CountWithTotal count={devices.active} text={deviceText} />
            <UsageBar used={devices.active} total={devices.seats} label={`${devices.active} ${deviceText}`} />
          </Tile>
        </>
      ) : null}
    </div>
  )
}

interface Task {
  title: string
  text: string
  done?: boolean
  action: Child
}

interface TaskFacts {
  figures: PortalCounts
  offer: OpenBoothOffer | null
  order: CompanyOrder | null
  request: CompanyMeeting | null
}

function listTasks(at: PortalAccess, { figures, offer, order, request }: TaskFacts): Task[] {
  const { site, home, company } = at
  const { say, locale } = site.words
  const left = figures.passes.total - figures.passes.used
  const [due] = order?.invoices.filter(({ status }) => status === 'open') ?? []
  const tasks: Task[] = []
  if (offer)
    tasks.push({
      title: say('portal.answerOffer', { booths: offer.boothNumbers.join(', ') }),
      text: say('portal.untilMoment', { moment: formatInstantWithTimeZone(locale, offer.until, site.facts.timezone) }),
      action: (
        <LinkButton href={offer.path} tone="primary" small>
          {say('portal.answer')}
        </LinkButton>
      ),
    })
  if (request)
    tasks.push({
      title: say('portal.answerRequests', { count: figures.requests }),
      text: `${request.name}, ${formatRelativeDayAndTime(site, request.startsAt)}`,
      action: (
        <LinkButton href={`${home}/appointments`} tone="primary" small>
          {say('portal.answer')}
        </LinkButton>
      ),
    })
  if (left > 0)
    tasks.push({
      title: say('portal.inviteColleagues'),
      text: say('portal.passesLeft', { count: left }),
      action: (
        <LinkButton href={`${home}/staff#add`} small>
          {say('portal.addStaff')}
        </LinkButton>
      ),
    })
  if (due)
    tasks.push({
      title: say('portal.payInvoice', { number: due.number }),
      text: say('portal.untilMoment', { moment: formatDay(locale, due.dueOn) }),
      action: (
        <a class="tap" href={`${home}/invoices/${encodeURIComponent(due.number)}.pdf`}>
          PDF
        </a>
      ),
    })
  const isDescribed = company.description !== null
  tasks.push({
    title: say(isDescribed ? 'portal.described' : 'portal.describe'),
    text: say('portal.describeHelp'),
    done: isDescribed,
    action: (
      <a class="tap" href={`${home}/company`}>
        {say('portal.edit')}
        <span class="hidden"> {say('portal.details')}</span>
      </a>
    ),
  })
  return tasks
}

const Tasks = ({ site, tasks }: { site: EventSite; tasks: readonly Task[] }) => {
  const { say } = site.words
  const open = tasks.filter(({ done }) => !done).length
  return (
    <Card
      title={say('portal.todo')}
      actions={open > 0 ? <StatusLabel tone="warning">{say('portal.openTasks', { count: open })}</StatusLabel> : null}
    >
      <ul class="todo">
        {tasks.map(({ title, text, done, action }) => (
          <li>
            <span class={done ? 'done' : 'open'}>
              <PortalIcon of={done ? 'done' : 'open'} />
            </span>
            <span>
              {done ? title : <strong>{title}</strong>}
              <small>{text}</small>
            </span>
            {action}
          </li>
        ))}
      </ul>
    </Card>
  )
}

const BoothCard = ({ site, booths: { booths, plans } }: { site: EventSite; booths: Booths }) => {
  const { say } = site.words
  if (booths.length === 0)
    return (
      <Card title={say('portal.yourBooth')}>
        <p class="muted">{say('portal.boothLater')}</p>
      </Card>
    )
  return (
    <Card title={say('portal.booth', { booths: booths.map(({ number }) => number).join(', ') })}>
      <div class="stack">
        {plans.map(({ svg }) => (
          <div class="plan">{raw(svg)}</div>
        ))}
        <DescriptionList
          rows={booths.map((booth) => [booths.length === 1 ? say('portal.size') : booth.number, formatBoothSize(site, booth)])}
        />
      </div>
    </Card>
  )
}

/** Formats the numbers and hall of the company's booths. During the event the text also names the current day, such as day 2. */
function formatPlace(site: EventSite, { booths, plans }: Booths): string {
  const { say, locale } = site.words
  const { startsOn, endsOn } = site.config.details
  const numbers = booths.map(({ number }) => number).join(', ')
  const place = booths.length === 0 ? say('portal.noBooth') : say('portal.boothIn', { booths: numbers, hall: plans[0]?.name ?? '' })
  const today = toDayInZone(site.facts.timezone, site.facts.now)
  if (today < startsOn || today > endsOn) return place
  const [number, days] = [daysBetween(startsOn, today) + 1, daysBetween(startsOn, endsOn) + 1]
  return `${place} · ${days === 1 ? formatDay(locale, today) : say('portal.dayOf', { day: formatDay(locale, today), number, days })}`
}

const MAX_NEXT = 5

/** Reads today's meetings; on a day without meetings, the next ones. */
async function readNextMeetings({ ctx, company, site }: PortalAccess): Promise<{ isToday: boolean; meetings: CompanyMeeting[] }> {
  const { timezone, now } = site.facts
  const today = toDayInZone(timezone, now)
  const ofToday = await listCompanyMeetings(ctx, company, { from: startOfDay(timezone, today), until: endOfDay(timezone, today) })
  if (ofToday.length > 0) return { isToday: true, meetings: ofToday }
  return { isToday: false, meetings: await listCompanyMeetings(ctx, company, { from: now, limit: MAX_NEXT }) }
}

/** Finds the next meeting request that waits for an answer. */
const findFirstRequest = async ({ ctx, company, site }: PortalAccess): Promise<CompanyMeeting | null> =>
  (await listCompanyMeetings(ctx, company, { from: site.facts.now })).find(({ status }) => status === 'pending') ?? null

/** `…/exhibitor`: the overview of a company: booth, passes, tasks, balance and next meetings. */
export function portalOverviewPages(web: WebServices) {
  const page = async (c: WebContext, at: PortalAccess): Promise<Response> => {
    const { site, ctx, company, home, manages } = at
    const { say } = site.words
    const figures = await readPortalCounts(ctx, company)
    const booths = await readBoothPlans(ctx, await listPublishedBoothIds(ctx, company.id))
    const offer = manages ? await findOpenOfferForCompany(ctx, company.id) : null
    const order = manages ? await readCompanyOrder(ctx, company.id) : null
    const { isToday, meetings } = await readNextMeetings(at)
    const request = figures.requests > 0 ? await findFirstRequest(at) : null
    return showPortalPage(
      web,
      c,
      at,
      { title: company.name, section: 'overview', figures },
      <>
        <PortalHeading
          title={company.name}
          text={formatPlace(site, booths)}
          action={
            manages ? (
              <LinkButton href={`${home}/company`} small>
                {say('portal.details')}
              </LinkButton>
            ) : null
          }
        />
        <div class="stack-5">
          <Tiles at={at} figures={figures} />
          <div class="split">
            <div class="stack-5">
              {manages ? <Tasks site={site} tasks={listTasks(at, { figures, offer, order, request })} /> : null}
              <Card
                title={say(isToday ? 'portal.appointmentsToday' : 'portal.nextAppointments')}
                actions={
                  <a class="tap" href={`${home}/appointments`}>
                    {say('portal.all')}
                  </a>
                }
              >
                {meetings.length === 0 ? (
                  <p class="muted">{say('portal.noAppointments')}</p>
                ) : (
                  <MeetingList at={at} meetings={meetings} withDay={!isToday} />
                )}
              </Card>
              {manages ? <CompanyInvoices at={at} order={order} /> : null}
            </div>
            <BoothCard site={site} booths={booths} />
          </div>
        </div>
      </>,
    )
  }
  return createEventRouter(web).get(EXHIBITOR_PATH, withExhibitorAccess(web, page))
}
