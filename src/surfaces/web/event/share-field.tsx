import type { LeadField } from '../../../domains/configuration/sharing.ts'
import { labelFor } from '../register/words.ts'
import type { Place } from './place.ts'

export const SHARE_CHOICES = ['default', 'share', 'restrict'] as const

/** What a field of a lead is called on the forms of this event, in the visitor's language. */
const labelOf = ({ words, config }: Place, field: string): string =>
  labelFor(words, config, field.startsWith('cf:') ? `@custom.${field.slice('cf:'.length)}` : `@participant.${field}`)

/** One field of a lead: what the organizer says, what the person says, and what comes of it. */
export const ShareField = ({ place, lead, name }: { place: Place; lead: LeadField; name: string }) => {
  const { say } = place.words
  const label = labelOf(place, lead.field)
  const result = say(lead.always ? 'sharing.always' : lead.shared ? 'sharing.seen' : 'sharing.hidden')
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
        {say(lead.byOrganizer ? 'sharing.organizerShares' : 'sharing.organizerHides')} {result}
      </span>
    </fieldset>
  )
}
