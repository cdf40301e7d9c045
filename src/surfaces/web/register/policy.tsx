import { isPolicyAcceptanceLocked } from '../../../domains/checkout/own-policies.ts'
import type { EventConfig } from '../../../domains/configuration/schema/event-config.ts'
import type { WidgetOfType } from '../../../domains/configuration/schema/widgets.ts'
import { formatInstantWithTimeZone } from '../../../kernel/language/format.ts'
import { Checkbox, ErrorText, Input } from '../components/forms.tsx'
import { SanitizedProse } from './prose.tsx'
import { findErrorMessage, type RegistrationPageView } from './view.ts'

/** The text of the policy, with a checkbox, initials or signature to agree. */
export function PolicyWidget({ view, widget }: { view: RegistrationPageView; widget: WidgetOfType<'policy'> }) {
  const policy = view.config.policies.find(({ code }) => code === widget.policy)
  if (!policy) return null
  const name = `@policy.${policy.code}`
  const isSettled = view.progress.row.status === 'complete' && isPolicyAcceptanceLocked(view.progress, name)
  return (
    <div class="field">
      <details open={widget.expanded}>
        <summary>{policy.title}</summary>
        <SanitizedProse html={policy.body} />
      </details>
      {isSettled ? (
        <AgreedPolicy view={view} code={policy.code} />
      ) : (
        <PolicyAgreement view={view} widget={widget} name={name} policy={policy} />
      )}
    </div>
  )
}

/** A policy that the participant agreed to. A required policy stays agreed; only a changed text has to be agreed to again. */
function AgreedPolicy({ view, code }: { view: RegistrationPageView; code: string }) {
  const { say, locale } = view.site.words
  const agreement = view.progress.stored.policies[code]
  if (!agreement) return <p class="help ok">{say('register.agreed')}</p>
  const moment = formatInstantWithTimeZone(locale, new Date(agreement.at), view.site.facts.timezone)
  return (
    <p class="help ok">
      {agreement.written ? say('edit.signedOn', { moment, name: agreement.written }) : say('edit.agreedOn', { moment })}
    </p>
  )
}

interface PolicyAgreementProps {
  view: RegistrationPageView
  widget: WidgetOfType<'policy'>
  name: string
  policy: EventConfig['policies'][number]
}

/** The control to agree to a policy. The label names the policy, because a form may ask for several agreements. */
function PolicyAgreement({ view, widget, name, policy: { title, required } }: PolicyAgreementProps) {
  const { say } = view.site.words
  const savedAgreement = view.progress.stored.policies[widget.policy]
  const agreed = view.valueOf(name)[0] === 'true'
  const error = findErrorMessage(view, name)
  const optional = required ? undefined : say('field.optional')
  const written =
    view.valueOf(name).find((value) => value !== 'true' && value !== 'false') ?? (agreed ? (savedAgreement?.written ?? '') : '')
  if (widget.mode !== 'checkbox')
    return (
      <Input
        name={name}
        label={say(widget.mode === 'initials' ? 'register.initialsFor' : 'register.signatureFor', { title })}
        value={written}
        autocomplete={widget.mode === 'signature' ? 'name' : 'off'}
        maxlength={200}
        error={error}
        optional={optional}
      />
    )
  return (
    <>
      <Checkbox
        name={name}
        value="true"
        label={`${say('register.agreeTo', { title })}${optional === undefined ? '' : ` ${optional}`}`}
        checked={agreed}
      />
      <ErrorText name={name} error={error} />
    </>
  )
}
