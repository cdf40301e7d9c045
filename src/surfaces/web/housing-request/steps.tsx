import type { Child } from 'hono/jsx'
import { ErrorSummary } from '../components/forms.tsx'
import type { EventSite } from '../event/event-site.ts'
import type { FormErrors } from '../fields.ts'

const STEPS = ['blockRequest.step1', 'blockRequest.step2'] as const

interface StepHeadProps {
  site: EventSite
  step: 1 | 2
  title: string
  formErrors?: FormErrors | null
  /** The path of the link back to the first step. */
  back?: string
  children?: Child
}

/** The top of both steps of a room request: progress, title and errors. */
export const RequestStepHeader = ({ site, step, title, formErrors, back, children }: StepHeadProps) => {
  const { say } = site.words
  return (
    <div class="head">
      <nav aria-label={say('register.steps')}>
        <ol class="progress">
          {STEPS.map((name, index) => (
            <li class={index + 1 < step ? 'done' : undefined} aria-current={index + 1 === step ? 'step' : undefined}>
              {index + 1 < step && back ? <a href={back}>{say(name)}</a> : <span>{say(name)}</span>}
            </li>
          ))}
        </ol>
      </nav>
      <div class="row-between">
        <h1>{title}</h1>
        <p class="muted small">{say('register.step', { step, steps: STEPS.length })}</p>
      </div>
      {children}
      <ErrorSummary {...formErrors} />
    </div>
  )
}
