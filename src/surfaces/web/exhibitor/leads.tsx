import { listLeads, setLeadStatus, updateLead } from '../../../domains/exhibitors/leads/manage-leads.ts'
import { listBoothStaff } from '../../../domains/exhibitors/staff/list-staff.ts'
import { requireCompanyOwnsRecord } from '../../../domains/exhibitors/portal/access.ts'
import { readFirstAndLastLeadScans, readPortalCounts } from '../../../domains/exhibitors/portal/figures.ts'
import { AppError } from '../../../kernel/errors.ts'
import { Form, LinkButton } from '../components/forms.tsx'
import { Card, Notice } from '../components/parts.tsx'
import { createEventRouter } from '../event/event-layout.tsx'
import { getCsrfToken, type FormValues, type WebContext, type WebServices } from '../web.ts'
import { LeadRow } from './lead-row.tsx'
import { buildOutcomeNoticePath } from './notices.ts'
import { PortalIcon } from './parts.tsx'
import {
  runExhibitorChange,
  EXHIBITOR_PATH,
  withExhibitorAccess,
  isPortalEditable,
  ignoreRefusedChangeError,
  handleExhibitorPost,
  type PortalAccess,
  PortalHeading,
  showPortalPage,
} from './portal-access.tsx'

const PATH = `${EXHIBITOR_PATH}/leads`
const LEADS_PER_PAGE = 50
/** Maximum number of staff names in the filter. */
const MAX_STAFF = 100

type Staff = Awaited<ReturnType<typeof listBoothStaff>>['exhibitors']

/** The filters in the URL of the list, which can be shared within the company. */
export interface LeadListFilters {
  q: string
  rating: '' | 'high' | 'none'
  by: string
}

const RATINGS = ['high', 'none'] as const

export const readLeadListFilters = (c: WebContext): LeadListFilters => ({
  q: (c.req.query('q') ?? '').trim().slice(0, 200),
  rating: RATINGS.find((rating) => rating === c.req.query('rating')) ?? '',
  by: /^[0-9a-f]{24}$/.test(c.req.query('by') ?? '') ? c.req.query('by')! : '',
})

export const toListLeadsArguments = ({ company }: PortalAccess, { q, rating, by }: LeadListFilters) => ({
  companyId: company.id,
  ...(q === '' ? {} : { search: q }),
  ...(rating === 'high' ? { minRating: 4 } : {}),
  ...(rating === 'none' ? { unrated: true } : {}),
  ...(by === '' ? {} : { staffId: by }),
})

const toSearch = (query: LeadListFilters, more: Record<string, string> = {}) =>
  new URLSearchParams(Object.entries({ ...query, ...more }).filter(([, value]) => value !== '')).toString()

const Filters = ({ at, query, staff }: { at: PortalAccess; query: LeadListFilters; staff: Staff }) => {
  const { say } = at.site.words
  return (
    <form class="portal-tools" method="get" action={`${at.home}/leads`} role="search" aria-label={say('portal.leads')}>
      <div>
        <label class="hidden" for="q">
          {say('portal.searchName')}
        </label>
        <input id="q" type="search" name="q" value={query.q} placeholder={say('portal.searchName')} maxlength={200} />
      </div>
      <div class="two-up">
        <select name="rating" aria-label={say('portal.rating')}>
          <option value="">{say('portal.anyRating')}</option>
          <option value="high" selected={query.rating === 'high'}>
            {say('portal.highRating')}
          </option>
          <option value="none" selected={query.rating === 'none'}>
            {say('portal.notRated')}
          </option>
        </select>
        <select name="by" aria-label={say('portal.scannedBy')}>
          <option value="">{say('portal.anyone')}</option>
          {staff.map(({ staffId, name }) => (
            <option value={staffId} selected={query.by === staffId}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <button type="submit" class="button">
        {say('portal.show')}
      </button>
    </form>
  )
}

const NoLeads = ({ at }: { at: PortalAccess }) => {
  const { say } = at.site.words
  return (
    <Card>
      <div class="stack">
        <h2>{say('portal.noLeads')}</h2>
        <p class="muted">{say('portal.noLeadsText')}</p>
        {at.manages ? (
          <div class="actions">
            <LinkButton href={`${at.home}/devices`} tone="primary">
              {say('portal.setUpScanner')}
            </LinkButton>
          </div>
        ) : null}
      </div>
    </Card>
  )
}

/** The form that restores the lead that was just deleted. */
const Undo = ({ at, leadId, csrf }: { at: PortalAccess; leadId: string; csrf: string }) => {
  const { say } = at.site.words
  return (
    <Notice tone="success">
      <Form action={`${at.home}/leads/${leadId}`} csrf={csrf} class="row-between">
        <span>{say('portal.leadDeleted')}</span>
        <button type="submit" class="button small" name="do" value="restore">
          {say('portal.undo')}
        </button>
      </Form>
    </Notice>
  )
}

/** `…/exhibitor/leads`: the people whose badges the company scanned, with the fields that each of them shares. */
export function portalLeadPages(web: WebServices) {
  const page = async (c: WebContext, at: PortalAccess): Promise<Response> => {
    const { ctx, site, company, home } = at
    const { say } = site.words
    const query = readLeadListFilters(c)
    const [cursor, from] = [
      c.req.query('cursor') || undefined,
      Math.min(1e6, Number(/^\d{1,7}$/.exec(c.req.query('from') ?? '')?.[0] ?? 1)),
    ]
    const found = await listLeads(ctx, { ...toListLeadsArguments(at, query), limit: LEADS_PER_PAGE, cursor }).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'invalid_arguments') return null
      throw error
    })
    if (!found) return c.redirect(`${home}/leads`, 303)
    const figures = await readPortalCounts(ctx, company)
    const { exhibitors: staff } = await listBoothStaff(ctx, { companyId: company.id, limit: MAX_STAFF })
    const scans = await readFirstAndLastLeadScans(
      ctx,
      found.leads.map(({ id }) => id),
    )
    const csrf = getCsrfToken(web, c)
    const opened = c.req.query('lead') ?? ''
    const deleted = /^[0-9a-f]{24}$/.exec(c.req.query('deleted') ?? '')?.[0]
    const until = from + found.leads.length - 1
    return showPortalPage(
      web,
      c,
      at,
      { title: say('portal.leads'), section: 'leads', figures },
      <>
        {deleted && isPortalEditable(at) ? <Undo at={at} leadId={deleted} csrf={csrf} /> : null}
        <PortalHeading
          title={say('portal.leads')}
          text={say('portal.leadsText', { count: figures.leads.total })}
          action={
            figures.leads.total > 0 ? (
              <a class="button small" href={`${home}/leads.csv?${toSearch(query)}`}>
                <PortalIcon of="down" />
                {say('portal.download')}
              </a>
            ) : null
          }
        />
        {figures.leads.total === 0 ? (
          <NoLeads at={at} />
        ) : (
          <div class="stack-5">
            <Filters at={at} query={query} staff={staff} />
            {found.leads.length === 0 ? (
              <Card>
                <p>{say('portal.noMatch')}</p>
                <a class="tap" href={`${home}/leads`}>
                  {say('portal.allLeads')}
                </a>
              </Card>
            ) : (
              <section class="card" aria-label={say('portal.leadsList')}>
                <ul class="lead-list">
                  {found.leads.map((lead) => (
                    <LeadRow at={at} lead={lead} scans={scans.get(lead.id)} isOpen={lead.id === opened} csrf={csrf} />
                  ))}
                </ul>
                {cursor || found.nextCursor ? (
                  <footer class="row-between">
                    <span class="small muted">{say('portal.range', { from, until, total: found.total ?? until })}</span>
                    <span class="row">
                      {cursor ? (
                        <a class="button small" href={`${home}/leads?${toSearch(query)}`}>
                          {say('portal.first')}
                        </a>
                      ) : null}
                      {found.nextCursor ? (
                        <a
                          class="button small"
                          href={`${home}/leads?${toSearch(query, { cursor: found.nextCursor, from: String(until + 1) })}`}
                        >
                          {say('portal.next', { count: LEADS_PER_PAGE })}
                        </a>
                      ) : null}
                    </span>
                  </footer>
                ) : null}
              </section>
            )}
          </div>
        )}
      </>,
    )
  }

  const change = async (c: WebContext, at: PortalAccess, form: FormValues): Promise<Response> => {
    const leadId = c.req.param('id') ?? ''
    const back = `${at.home}/leads`
    const done = await runExhibitorChange(web, at, 'edit_own_lead', async (ctx) => {
      await requireCompanyOwnsRecord(ctx, 'leads', leadId, at.company.id)
      if (form['do'] === 'delete') return setLeadStatus(ctx, leadId, 'deleted')
      if (form['do'] === 'restore') return setLeadStatus(ctx, leadId, 'active')
      const rating = /^[1-5]$/.test(form['rating'] ?? '') ? Number(form['rating']) : null
      const notes = (form['notes'] ?? '').trim().slice(0, 2000) || null
      return updateLead(ctx, { leadId, rating, notes, ...(form['revision'] ? { ifRevision: Number(form['revision']) } : {}) })
    }).catch(ignoreRefusedChangeError)
    if (done === null) return c.redirect(`${buildOutcomeNoticePath(back, 'changed', { lead: leadId })}#lead-${leadId}`, 303)
    if (form['do'] === 'delete') return c.redirect(`${back}?deleted=${leadId}`, 303)
    return c.redirect(`${buildOutcomeNoticePath(back, 'saved', { lead: leadId })}#lead-${leadId}`, 303)
  }

  return createEventRouter(web).get(PATH, withExhibitorAccess(web, page)).post(`${PATH}/:id`, handleExhibitorPost(web, change))
}
