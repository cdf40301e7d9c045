import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Secret } from '../../src/kernel/secrets.ts'
import { createChatModel } from '../../src/platform/chat-model.ts'

interface ChatRequest {
  path: string
  authorization: string | undefined
  body: Record<string, any>
}

/** A stub of a language model API that returns one paragraph. */
export async function startChatServer() {
  const requests: ChatRequest[] = []
  const settings = {
    /** How the stub handles the next request: `silent` never responds, `empty` returns no text. */
    next: 'answers' as 'answers' | 'broken' | 'garbled' | 'empty' | 'silent' | 'moved',
    says: (facts: Record<string, any>) => `${facts['name']} is here.`,
  }
  const server = createServer((request, response) => void answer(request, response))
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = JSON.parse(Buffer.concat(parts).toString()) as Record<string, any>
    requests.push({ path: request.url!, authorization: request.headers.authorization, body })
    if (settings.next === 'silent') return
    if (settings.next === 'broken') return void response.writeHead(500).end('{"error":{"message":"secret detail"}}')
    if (settings.next === 'garbled') return void response.writeHead(200).end('<html>')
    if (settings.next === 'moved') return void response.writeHead(302, { location: 'http://169.254.169.254/' }).end()
    const content = settings.next === 'empty' ? ' \n' : settings.says(JSON.parse(body['messages'][1].content) as Record<string, any>)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content } }] }))
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return {
    requests,
    settings,
    model: createChatModel({ url, key: new Secret('sk-of-the-test'), model: 'small-1' }, 500),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
