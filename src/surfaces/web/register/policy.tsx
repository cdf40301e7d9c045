import { isSettledPolicy } from '../../../domains/checkout/own-policies.ts'
import type { WidgetOf } from '../../../domains/configuration/schema/widgets.ts'
import { formatMoment } from '../../../kernel/language/format.ts'
import { Checkbox, Input } from '../components/forms.tsx'
import { Prose } from './prose.tsx'
import { errorAt, type View } from './view.ts'

/** The text, and the word that somebody gives to it: a tick, their initials, or their name. */
export function Policy({ view, widget }: { view: View; widget: WidgetOf<'policy'> }) {
  const policy = view.config.policies.find(({ code }) => code === widget.policy)
  if (!policy) return null
  const name = `@policy.${policy.code}`
  const isSettled = view.progress.row.status === 'complete' && isSettledPolicy(view.progress, name)
  return (
    <div class="field">
      <details open={widget.expanded}>
        <summary>{policy.title}</summary>
        <Prose html={policy.body} />
      </details>
      {isSettled ? (
        <Settled view={view} code={policy.code} />
      ) : (
        <Asking view={view} widget={widget} name={name} required={policy.required} />
      )}
    </div>
  )
}

/** What must be agreed to and is stays so; only another text is asked again. */
function Settled({ view, code }: { view: View; code: string }) {
  const { say, locale } = view.place.words
  const kept = view.progress.kept.policies[code]
  return (
    <p class="help ok">
      {kept ? say('edit.agreedOn', { moment: formatMoment(locale, new Date(kept.at), view.place.facts.timezone) }) : say('register.agreed')}
      {kept?.written ? ` (${kept.written})` : null}
    </p>
  )
}

interface Agreeing {
  view: View
  widget: WidgetOf<'policy'>
  name: string
  required: boolean
}

function Asking({ view, widget, name, required }: Agreeing) {
  const { say } = view.place.words
  const kept = view.progress.kept.policies[widget.policy]
  const agreed = view.valueOf(name)[0] === 'true'
  const error = errorAt(view, name)
  const optional = required ? undefined : say('field.optional')
  const written = view.valueOf(name).find((value) => value !== 'true' && value !== 'false') ?? (agreed ? (kept?.written ?? '') : '')
  if (widget.mode !== 'checkbox')
    return (
      <Input
        name={name}
        label={widget.mode === 'initials' ? say('register.initials') : say('register.signature')}
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
        label={`${say('register.agree')}${optional === undefined ? '' : ` ${optional}`}`}
        checked={agreed}
      />
      {error ? (
        <span class="error" id={`${name}-error`}>
          {error}
        </span>
      ) : null}
    </>
  )
}
