import type { Translator } from '../../../kernel/language/translator.ts'
import { Form, Input } from './forms.tsx'
import { Card } from './parts.tsx'

interface CodeFormsProps {
  words: Translator
  /** The path of the page. The forms are submitted to `<home>/send-code` and `<home>/code`. */
  home: string
  csrf: string
  isSent: boolean
}

/** The forms that email a one-time code to the recipient of a personal link, and check the entered code. */
export const OneTimeCodeForms = ({ words: { say }, home, csrf, isSent }: CodeFormsProps) => (
  <>
    {isSent ? (
      <Card>
        <Form action={`${home}/code`} csrf={csrf} class="stack">
          <Input
            name="code"
            label={say('sign.code')}
            help={say('sign.codeHelp')}
            inputmode="numeric"
            autocomplete="one-time-code"
            maxlength={6}
          />
          <div class="actions">
            <button type="submit" class="button primary">
              {say('sign.continue')}
            </button>
          </div>
        </Form>
      </Card>
    ) : null}
    <Form action={`${home}/send-code`} csrf={csrf}>
      <button type="submit" class={isSent ? 'button quiet' : 'button primary'}>
        {say(isSent ? 'sign.newCode' : 'sign.sendCode')}
      </button>
    </Form>
  </>
)
