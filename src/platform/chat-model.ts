import { z } from 'zod'
import { AppError } from '../kernel/errors.ts'
import type { LanguageModel } from '../kernel/ports.ts'
import type { Secret } from '../kernel/secrets.ts'

interface ChatSettings {
  /** The base URL, without `/chat/completions`. */
  url: string
  key: Secret | null
  model: string
}

const TIMEOUT_MS = 15_000
const MAX_CHARACTERS = 100_000

const Answer = z.looseObject({ choices: z.array(z.looseObject({ message: z.looseObject({ content: z.string() }) })).min(1) })

/** Creates a client for a language model with an OpenAI-compatible API. Errors never repeat the text of the server's response. */
export const createChatModel = ({ url, key, model }: ChatSettings, timeoutMs = TIMEOUT_MS): LanguageModel => ({
  name: model,
  async write({ instructions, facts, maxTokens }) {
    try {
      const response = await fetch(`${url}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key.reveal()}` } : {}) },
        body: JSON.stringify({
          model,
          temperature: 0,
          max_tokens: maxTokens,
          messages: [
            { role: 'system', content: instructions },
            { role: 'user', content: JSON.stringify(facts) },
          ],
        }),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      })
      const body = await response.text()
      if (!response.ok || body.length > MAX_CHARACTERS) throw new Error(`status ${response.status}`)
      return Answer.parse(JSON.parse(body)).choices[0]!.message.content
    } catch (error) {
      const slow = (error as Error).name === 'TimeoutError'
      throw new AppError('unavailable', slow ? 'The language model took too long to respond' : 'The language model gave no usable response')
    }
  },
})
