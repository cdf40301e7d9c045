import { hasLookupAttemptsLeft } from '../../../domains/checkout/directory-lookup.ts'
import { NON_ANSWER_FORM_FIELDS } from '../../../domains/checkout/sent-page.ts'
import { buildLookupOutcomeAnswerKey } from '../../../domains/configuration/flow/collected-answers.ts'
import type { WidgetOfType } from '../../../domains/configuration/schema/widgets.ts'
import { Input } from '../components/forms.tsx'
import { Notice } from '../components/parts.tsx'
import { FieldGroup } from './fields.tsx'
import { findErrorMessage, type RegistrationPageView, buildPathToWidget } from './view.ts'

const OUTCOME_KEYS = {
  found: 'register.lookupFound',
  notFound: 'register.lookupNotFound',
  many: 'register.lookupMany',
  error: 'register.lookupError',
} as const

/** The membership lookup with its own button and result message. */
export function MembershipLookup({ view, widget }: { view: RegistrationPageView; widget: WidgetOfType<'membershipLookup'> }) {
  const { say } = view.site.words
  const binding = buildLookupOutcomeAnswerKey(widget.id)
  const outcome = view.progress.answers[binding]
  const stops = view.progress.walk.missing.some((missing) => missing.binding === binding && missing.why === 'lookupFailed')
  const known =
    typeof outcome === 'string' && Object.hasOwn(OUTCOME_KEYS, outcome) ? OUTCOME_KEYS[outcome as keyof typeof OUTCOME_KEYS] : null
  return (
    <FieldGroup field={{ name: binding, label: say('register.lookup'), error: findErrorMessage(view, binding) }}>
      {known ? (
        <Notice tone={outcome === 'found' ? 'success' : 'warning'}>
          {say(outcome === 'error' && stops ? 'register.lookupErrorBlocks' : known)}
        </Notice>
      ) : null}
      {outcome === 'found' ? null : !hasLookupAttemptsLeft(view.progress, widget) ? (
        <p>{say(stops || widget.required ? 'register.lookupLimitBlocks' : 'register.lookupLimit')}</p>
      ) : (
        <>
          <div class="fields">
            {widget.inputs
              .filter((input) => input !== 'email')
              .map((input) => (
                <div class="half">
                  <Input
                    name={NON_ANSWER_FORM_FIELDS.lookup(widget, input)}
                    label={say(`field.${input}`)}
                    value={view.valueOf(NON_ANSWER_FORM_FIELDS.lookup(widget, input))[0]}
                    autocomplete="off"
                  />
                </div>
              ))}
          </div>
          <div>
            <button type="submit" class="button" name="do" value={`lookup:${widget.id}`} formaction={buildPathToWidget(widget.id)}>
              {say('register.checkMembership')}
            </button>
          </div>
        </>
      )}
    </FieldGroup>
  )
}
