import { Agent, request } from 'node:http'
import { restClientAt } from '../../test/support/rest.ts'
import { newAttendee, openSalesScenario, WORKED_EXAMPLE } from '../../test/support/sales-scenario.ts'
import { freeBaseUrl, serve } from '../../test/support/server.ts'
import { serveRequests } from '../child.ts'

const CLIENTS = 8

/** A running pretix with one product, and a token for its API. */
export interface PretixServer {
  url: string
  token: string
  item: number
}

interface Asked {
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  body?: string
}

const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })

function send({ method, url, headers, body }: Asked): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        // A tool reports its refusals in the body.
        if (response.statusCode! < 300 && !text.includes('"isError":true')) resolve()
        else reject(new Error(`${method} ${url}: ${response.statusCode} ${text.slice(0, 300)}`))
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

let opened: Promise<Awaited<ReturnType<typeof open>>> | null = null

/** The product behind its own HTTP server, with one event on sale, and the requests to both products. */
async function open(pretix: PretixServer) {
  const { world, event, olga } = await openSalesScenario(WORKED_EXAMPLE, { baseUrl: await freeBaseUrl() })
  const served = await serve(world)
  const rest = await restClientAt(world, served, event.tenantId, { events: [event] })
  const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  let number = 0
  const order = (): Asked => ({
    method: 'POST',
    url: served.url('/api/mcp/organizer'),
    headers: { ...json, authorization: `Bearer ${olga.token}` },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'add_participant',
        arguments: { eventCode: event.eventCode, flowSlug: 'attendee', data: { ...newAttendee(), '@product.pass': 1 } },
      },
    }),
  })
  const pretixHeaders = { ...json, authorization: `Token ${pretix.token}` }
  const pretixOrders = `${pretix.url}/api/v1/organizers/bench/events/conf/orders/`
  const pretixOrder = (): Asked => {
    const email = `paula.${++number}@example.org`
    const position = {
      item: pretix.item,
      variation: null,
      price: '750.00',
      attendee_name_parts: { full_name: `Paula ${number}` },
      answers: [],
    }
    return {
      method: 'POST',
      url: pretixOrders,
      headers: pretixHeaders,
      body: JSON.stringify({ email, locale: 'en', sales_channel: 'web', positions: [position], status: 'n' }),
    }
  }
  return {
    world,
    served,
    requests: {
      order,
      list: (): Asked => ({
        method: 'GET',
        url: served.url(`/v1/orders?limit=50&eventCode=${event.eventCode}`),
        headers: { authorization: `Bearer ${rest.token}` },
      }),
      pretixOrder,
      pretixList: (): Asked => ({ method: 'GET', url: `${pretixOrders}?page_size=50`, headers: pretixHeaders }),
    },
  }
}

/** Requests a second with eight clients. */
async function rate({ work, seconds }: { work: 'order' | 'list' | 'pretixOrder' | 'pretixList'; seconds: number }): Promise<number> {
  const { requests, world } = await opened!
  const started = performance.now()
  const until = started + seconds * 1000
  let done = 0
  const client = async () => {
    for (; performance.now() < until; done++) {
      // The clock of the test world is stopped, so the rate limit window never ends by itself.
      if (done % 50 === 0) await world.database.pool.query('delete from rate_windows')
      await send(requests[work]())
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  return (done * 1000) / (performance.now() - started)
}

serveRequests({
  open: async (pretix: PretixServer) => void (await (opened = open(pretix))),
  rate,
  end: async () => {
    const { world, served } = await opened!
    agent.destroy()
    await served.stop()
    await world.end()
  },
})
