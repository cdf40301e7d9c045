import type { LeadField } from '../../../domains/configuration/sharing.ts'
import { getFieldLabel } from '../register/messages.ts'
import type { EventSite } from './event-site.ts'

export const SHARE_CHOICES = ['default', 'share', 'restrict'] as const

/** The label of a lead field (an answer that exhibitors can see) in the visitor's language. */
export const getLeadFieldLabel = ({ words, config }: EventSite, lead: LeadField): string =>
  getFieldLabel(words, config, toLeadBinding(lead))

/** The binding of the answer that a lead field shows. */
export const toLeadBinding = ({ field }: LeadField): string =>
  field.startsWith('cf:') ? `@custom.${field.slice('cf:'.length)}` : `@participant.${field}`

/** One lead field with the participant's choice. The label of the organizer's default says whether it shares the field. */
export const ShareField = ({ site, lead, name }: { site: EventSite; lead: LeadField; name: string }) => {
  const { say } = site.words
  const labels = {
    default: say(lead.byOrganizer ? 'sharing.defaultShared' : 'sharing.defaultNotShared'),
    share: say('sharing.share'),
    restrict: say('sharing.restrict'),
  }
  return (
    <fieldset class="question share">
      <legend>{getLeadFieldLabel(site, lead)}</legend>
      <div class="segments">
        {SHARE_CHOICES.map((choice) => (
          <label>
            <input type="radio" name={name} value={choice} checked={lead.own === choice} />
            {labels[choice]}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
