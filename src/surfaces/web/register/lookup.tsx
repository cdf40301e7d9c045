import { mayLookUp } from '../../../domains/checkout/look-up.ts'
import { FIELDS } from '../../../domains/checkout/sent-page.ts'
import { lookupBinding } from '../../../domains/configuration/flow/collects.ts'
import type { WidgetOf } from '../../../domains/configuration/schema/widgets.ts'
import { Input } from '../components/forms.tsx'
import { Notice } from '../components/parts.tsx'
import { Group } from './fields.tsx'
import { errorAt, type View } from './view.ts'

const OUTCOMES = {
  found: 'register.lookupFound',
  notFound: 'register.lookupNotFound',
  many: 'register.lookupMany',
  error: 'register.lookupError',
} as const

/** Asks a member directory by a button of its own, and says how that ended. */
export function Lookup({ view, widget }: { view: View; widget: WidgetOf<'membershipLookup'> }) {
  const { say } = view.place.words
  const binding = lookupBinding(widget.id)
  const outcome = view.progress.answers[binding]
  const stops = view.progress.walk.missing.some((missing) => missing.binding === binding && missing.why === 'lookupFailed')
  const known = typeof outcome === 'string' && Object.hasOwn(OUTCOMES, outcome) ? OUTCOMES[outcome as keyof typeof OUTCOMES] : null
  return (
    <Group field={{ name: binding, label: say('register.lookup'), error: errorAt(view, binding) }}>
      {known ? (
        <Notice tone={outcome === 'found' ? 'success' : 'warning'}>
          {say(outcome === 'error' && stops ? 'register.lookupStops' : known)}
        </Notice>
      ) : null}
      {outcome === 'found' ? null : !mayLookUp(view.progress, widget) ? (
        <p>{say(stops || widget.required ? 'register.lookupEndStops' : 'register.lookupEnd')}</p>
      ) : (
        <>
          <div class="fields">
            {widget.inputs
              .filter((input) => input !== 'email')
              .map((input) => (
                <div class="half">
                  <Input
                    name={FIELDS.lookup(widget, input)}
                    label={say(`field.${input}`)}
                    value={view.valueOf(FIELDS.lookup(widget, input))[0]}
                    autocomplete="off"
                  />
                </div>
              ))}
          </div>
          <div>
            <button type="submit" class="button" name="do" value={`lookup:${widget.id}`}>
              {say('register.lookUp')}
            </button>
          </div>
        </>
      )}
    </Group>
  )
}
