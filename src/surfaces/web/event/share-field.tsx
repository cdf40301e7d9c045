import type { LeadField } from '../../../domains/configuration/sharing.ts'
import { getFieldLabel } from '../register/messages.ts'
import type { EventSite } from './event-site.ts'

export const SHARE_CHOICES = ['default', 'share', 'restrict'] as const

/** The label of a lead field (an answer that exhibitors can see) in the visitor's language. */
const labelOf = ({ words, config }: EventSite, field: string): string =>
  getFieldLabel(words, config, field.startsWith('cf:') ? `@custom.${field.slice('cf:'.length)}` : `@participant.${field}`)

/** One lead field: the organizer's default, the participant's choice and the resulting visibility. */
export const ShareField = ({ site, lead, name }: { site: EventSite; lead: LeadField; name: string }) => {
  const { say } = site.words
  const label = labelOf(site, lead.field)
  const result = say(lead.always ? 'sharing.always' : lead.shared ? 'sharing.visible' : 'sharing.hidden')
  if (lead.always) {
    return (
      <div class="share">
        <strong>{label}</strong>
        <span class="small muted">{result}</span>
      </div>
    )
  }
  return (
    <fieldset class="question share">
      <legend>{label}</legend>
      <div class="segments">
        {SHARE_CHOICES.map((choice) => (
          <label>
            <input type="radio" name={name} value={choice} checked={lead.own === choice} />
            {say(`sharing.${choice}`)}
          </label>
        ))}
      </div>
      <span class="small muted">
        {say(lead.byOrganizer ? 'sharing.sharedByDefault' : 'sharing.notSharedByDefault')} {result}
      </span>
    </fieldset>
  )
}
