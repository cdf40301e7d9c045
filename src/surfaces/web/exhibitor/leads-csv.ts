import { listLeads } from '../../../domains/exhibitors/leads/manage-leads.ts'
import { LEAD_FIELDS } from '../../../domains/configuration/schema/widgets.ts'
import { formatCsvLine } from '../../../domains/sheets/csv.ts'
import { toWallTimeInZone } from '../../../kernel/time.ts'
import { streamCsvDownload } from '../console/csv-download.ts'
import { createEventRouter } from '../event/event-layout.tsx'
import type { WebContext, WebServices } from '../web.ts'
import { getParticipantFieldLabels, type Lead } from './lead-row.tsx'
import { readLeadListFilters, toListLeadsArguments } from './leads.tsx'
import { EXHIBITOR_PATH, withExhibitorAccess, type PortalAccess } from './portal-access.tsx'

const LEADS_PER_READ = 500

/** The columns of the CSV file. Links to pictures expire after an hour, so they are left out. */
const COLUMNS = LEAD_FIELDS.filter((field) => field !== 'headshot')

/** `…/exhibitor/leads.csv`: the filtered leads, with the same fields as the page. */
export function portalLeadCsvPages(web: WebServices) {
  const download = async (c: WebContext, at: PortalAccess): Promise<Response> => {
    const { site, company, ctx } = at
    const { say } = site.words
    const labels = getParticipantFieldLabels(site)
    const questions = site.config.customFields.filter(({ sensitive }) => !sensitive)
    const request = { ...toListLeadsArguments(at, readLeadListFilters(c)), limit: LEADS_PER_READ }
    const reading = { ...ctx, cursorScope: `${ctx.cursorScope} leads of ${company.id}` }
    const local = (instant: string | null) =>
      instant === null ? '' : toWallTimeInZone(site.facts.timezone, new Date(instant)).slice(0, 16).replace('T', ' ')
    const lineOf = (lead: Lead) => {
      const fields = lead.fields as Partial<Record<string, string>>
      const answers = new Map(lead.customFields?.map(({ code, value }) => [code, value]))
      return formatCsvLine([
        ...COLUMNS.map((field) => fields[field] ?? ''),
        ...questions.map(({ code }) => answers.get(code) ?? ''),
        lead.rating === null ? '' : String(lead.rating),
        lead.notes ?? '',
        lead.tags.join(', '),
        String(lead.captures),
        local(lead.firstCapturedAt),
        local(lead.lastCapturedAt),
      ])
    }
    const first = await listLeads(reading, request)
    async function* lines() {
      yield formatCsvLine([
        ...COLUMNS.map((field) => labels.get(field) ?? field),
        ...questions.map(({ name }) => name),
        ...(['rating', 'notes', 'tags', 'scans', 'firstScan', 'lastScan'] as const).map((name) => say(`portal.${name}`)),
      ])
      for (let page = first; ; page = await listLeads(reading, { ...request, cursor: page.nextCursor! })) {
        yield page.leads.map(lineOf).join('')
        if (page.nextCursor === null) return
      }
    }
    return streamCsvDownload(c, `leads-${company.code}`, lines())
  }
  return createEventRouter(web).get(`${EXHIBITOR_PATH}/leads.csv`, withExhibitorAccess(web, download))
}
