import type { Child } from 'hono/jsx'
import { formatDateRange } from '../../../kernel/language/format.ts'
import { toDayInZone } from '../../../kernel/time.ts'
import type { SupplierPageContext } from './site.tsx'

export interface SupplierTab {
  path: string
  label: string
  /** A number or word that is shown after the label of the tab. */
  mark?: string | number | undefined
  isCurrent: boolean
}

interface FrameProps {
  at: SupplierPageContext
  badges: Child
  title: string
  lead: string
  tabs?: readonly SupplierTab[]
  /** A message about the form that was just saved or refused. */
  notice?: Child
  /** Whether the page is one column of text. */
  narrow?: boolean
  children: Child
}

/** The layout that the pages of a supplier share: heading, tabs and content. */
export const SupplierPageLayout = ({ at, badges, title, lead, tabs = [], notice, narrow = false, children }: FrameProps) => (
  <div class={narrow ? 'mine narrow' : 'mine'}>
    <div class="head">
      <div class="row">{badges}</div>
      <h1>{title}</h1>
      <p class="lead">{lead}</p>
    </div>
    {tabs.length > 0 ? (
      <nav class="portal-tabs" aria-label={at.site.words.say('supplier.pages')}>
        {tabs.map(({ path, label, mark, isCurrent }) => (
          <a href={path} aria-current={isCurrent ? 'page' : undefined}>
            {label}
            {mark === undefined ? null : <span> {mark}</span>}
          </a>
        ))}
      </nav>
    ) : null}
    {notice}
    {children}
  </div>
)

/** Shows for whom the link to this page is, and the last day on which it works. */
export const LinkRecipientCard = ({ at: { site, link } }: { at: SupplierPageContext }) => {
  const { say, locale } = site.words
  // The link expires when its last day ends.
  const last = toDayInZone(site.facts.timezone, new Date(link.expiresAt.getTime() - 1))
  return (
    <p class="small muted signed">
      {say('supplier.linkFor', {
        name: [link.contact.name, link.contact.email].filter(Boolean).join(', '),
        day: formatDateRange(locale, last, last),
      })}
    </p>
  )
}
