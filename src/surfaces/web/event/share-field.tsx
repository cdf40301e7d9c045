import type { LeadField } from '../../../domains/configuration/sharing.ts'
import { getFieldLabel } from '../register/messages.ts'
import type { EventSite } from './event-site.ts'

export const LEAD_SHARING_CHOICES = ['default', 'share', 'restrict'] as const

/** The label of a lead field (an answer that exhibitors can see) in the visitor's language. */
export const getLeadFieldLabel = ({ words, config }: EventSite, lead: LeadField): string =>
  getFieldLabel(words, config, getLeadFieldAnswerKey(lead))

/** The form field (binding) whose answer exhibitors see as this lead field, such as `@custom.diet`. */
export const getLeadFieldAnswerKey = ({ field }: LeadField): string =>
  field.startsWith('cf:') ? `@custom.${field.slice('cf:'.length)}` : `@participant.${field}`

/**
 * One lead field with the participant's choice whether exhibitors see it. Until the participant chooses, the organizer's default applies;
 * leaving the default unchanged stores no choice.
 */
export const LeadSharingField = ({ site, lead, name }: { site: EventSite; lead: LeadField; name: string }) => (
  <fieldset class="question share">
    <legend>{getLeadFieldLabel(site, lead)}</legend>
    <div class="segments">
      {(['share', 'restrict'] as const).map((choice) => {
        const isChosen = lead.shared === (choice === 'share')
        return (
          <label>
            <input type="radio" name={name} value={isChosen && lead.own === 'default' ? 'default' : choice} checked={isChosen} />
            {site.words.say(`sharing.${choice}`)}
          </label>
        )
      })}
    </div>
  </fieldset>
)
