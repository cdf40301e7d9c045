import type { listLeads } from '../../../domains/exhibitors/leads/manage-leads.ts'
import type { FirstAndLastLeadScan } from '../../../domains/exhibitors/portal/figures.ts'
import type { LeadFieldName } from '../../../domains/exhibitors/visibility.ts'
import { listParticipantDataFields } from '../../../domains/configuration/data-fields.ts'
import { Form } from '../components/forms.tsx'
import { DescriptionList } from '../components/parts.tsx'
import type { EventSite } from '../event/event-site.ts'
import { StarRating } from './parts.tsx'
import { isPortalEditable, type PortalAccess } from './portal-access.tsx'
import { formatDateAndTime, formatRelativeDayAndTime } from './times.ts'

export type Lead = Awaited<ReturnType<typeof listLeads>>['leads'][number]

/** The lead fields that a row always shows, so that a field that is not shared is visible as such. */
const MAIN_FIELDS: readonly LeadFieldName[] = ['email', 'workPhone', 'mobilePhone']
const IN_TITLE: readonly string[] = ['firstName', 'lastName', 'jobTitle', 'company', 'headshot']

/** Returns the labels of participant fields, as the registration form shows them. */
export function getParticipantFieldLabels({ config }: EventSite): Map<string, string> {
  return new Map(listParticipantDataFields(config).map(({ binding, label }) => [binding.replace('@participant.', ''), label]))
}

const formatScan = (site: EventSite, scan: NonNullable<FirstAndLastLeadScan['first']>): string =>
  [formatDateAndTime(site, scan.at), scan.device, ...(scan.staff === null ? [] : [site.words.say('portal.byPerson', { name: scan.staff })])]
    .filter(Boolean)
    .join(', ')

const FieldValue = ({ field, value }: { field: string; value: string }) =>
  field === 'email' ? (
    <a href={`mailto:${value}`}>{value}</a>
  ) : field.endsWith('Phone') ? (
    <a href={`tel:${value.replaceAll(/[^+\d]/g, '')}`}>{value}</a>
  ) : (
    <span dir="auto">{value}</span>
  )

const Details = ({ at, lead, scans }: { at: PortalAccess; lead: Lead; scans: FirstAndLastLeadScan | undefined }) => {
  const { site } = at
  const { say } = site.words
  const labels = getParticipantFieldLabels(site)
  const fields = lead.fields as Partial<Record<string, string>>
  const shown = [...MAIN_FIELDS.filter((field) => field !== 'mobilePhone' || fields[field]), ...Object.keys(fields)]
  return (
    <DescriptionList
      rows={[
        ...[...new Set<string>(shown)]
          .filter((field) => !IN_TITLE.includes(field))
          .map((field): [string, ReturnType<typeof FieldValue>] => {
            const value = fields[field]
            return [
              labels.get(field) ?? field,
              value ? <FieldValue field={field} value={value} /> : <span class="muted">{say('portal.notShared')}</span>,
            ]
          }),
        ...(lead.customFields ?? []).map(({ label, value }): [string, string] => [label, value]),
        ...(scans?.first ? [[say('portal.firstScan'), formatScan(site, scans.first)] as [string, string]] : []),
        ...(scans?.last && lead.captures > 1 ? [[say('portal.lastScan'), formatScan(site, scans.last)] as [string, string]] : []),
        ...(lead.tags.length > 0 ? [[say('portal.tags'), lead.tags.join(', ')] as [string, string]] : []),
      ]}
    />
  )
}

/** The form for the company's rating and notes. A rating of 0, which scanners can give, is shown as no stars. */
const Edit = ({ at, lead, csrf }: { at: PortalAccess; lead: Lead; csrf: string }) => {
  const { say } = at.site.words
  return (
    <Form action={`${at.home}/leads/${lead.id}`} csrf={csrf} class="portal-form">
      <input type="hidden" name="revision" value={String(lead.revision)} />
      <fieldset class="field">
        <legend>{say('portal.rating')}</legend>
        <div class="segments">
          {['', '1', '2', '3', '4', '5'].map((value) => (
            <label>
              <input type="radio" name="rating" value={value} checked={value === String(lead.rating || '')} />
              {value === '' ? (
                <>
                  <span aria-hidden="true">–</span>
                  <span class="hidden">{say('portal.notRated')}</span>
                </>
              ) : (
                value
              )}
            </label>
          ))}
        </div>
      </fieldset>
      <div class="field">
        <label for={`notes-${lead.id}`}>{say('portal.notes')}</label>
        <textarea id={`notes-${lead.id}`} name="notes" rows={3} maxlength={2000}>
          {lead.notes ?? ''}
        </textarea>
      </div>
      <div class="actions">
        <button type="submit" class="button primary">
          {say('portal.save')}
        </button>
        <button type="submit" class="button quiet" name="do" value="delete">
          {say('portal.deleteLead')}
        </button>
      </div>
    </Form>
  )
}

interface LeadRowProps {
  at: PortalAccess
  lead: Lead
  scans: FirstAndLastLeadScan | undefined
  isOpen: boolean
  csrf: string
}

/** A lead: the person in one line, which expands to show contact data, rating and notes. */
export const LeadRow = ({ at, lead, scans, isOpen, csrf }: LeadRowProps) => {
  const { site } = at
  const { say } = site.words
  const { firstName, lastName, jobTitle, company, ...others } = lead.fields as Partial<Record<string, string>>
  const about = [jobTitle, company].filter(Boolean).join(' · ')
  const sharesMore = Object.keys(others).length > 0 || (lead.customFields ?? []).length > 0
  const moment = lead.lastCapturedAt === null ? null : formatRelativeDayAndTime(site, new Date(lead.lastCapturedAt))
  return (
    <li id={`lead-${lead.id}`}>
      <details open={isOpen}>
        <summary>
          <span>
            <strong dir="auto">{[firstName, lastName].filter(Boolean).join(' ')}</strong>
            <small dir="auto">{about || (sharesMore ? '' : say('portal.onlyName'))}</small>
          </span>
          <span class="side-facts">
            {lead.rating ? (
              <StarRating rating={lead.rating} label={say('portal.stars', { count: lead.rating })} />
            ) : (
              <small>{say('portal.notRated')}</small>
            )}
            {moment === null ? null : <small>{moment}</small>}
          </span>
        </summary>
        <div class="lead-open">
          <Details at={at} lead={lead} scans={scans} />
          {isPortalEditable(at) ? <Edit at={at} lead={lead} csrf={csrf} /> : <p dir="auto">{lead.notes ?? ''}</p>}
        </div>
      </details>
    </li>
  )
}
