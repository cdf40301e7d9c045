import { connect } from 'node:net'
import { serveRequests } from './child.ts'

/** A server under load, and the complete HTTP requests to send to it in turn. */
export interface LoadTarget {
  name: string
  port: number
  requests: string[]
}

export interface Load {
  name: string
  connections: number
  seconds: number
}

export interface LoadResult {
  requests: number
  seconds: number
  /** The body of one response of the server, as an example. */
  sample: string
}

const aims = new Map<string, { port: number; texts: Buffer[] }>()

function aim({ name, port, requests }: LoadTarget): void {
  aims.set(name, { port, texts: requests.map((request) => Buffer.from(request)) })
}

/**
 * The index of the next request. A measurement continues where the last one ended, so that every caller's requests are sent equally often.
 */
let next = 0

/**
 * Keeps every connection busy with one request at a time until the window ends. Uses plain sockets, because an HTTP client costs as much
 * as a server.
 */
async function runLoad({ name, connections, seconds }: Load): Promise<LoadResult> {
  const { port, texts } = aims.get(name)!
  const started = performance.now()
  const until = started + seconds * 1000
  let done = 0
  let sample = ''
  await Promise.all(
    Array.from({ length: connections }, () =>
      runConnection(port, (body) => {
        if (body !== null) done++
        if (body) sample = body
        if (performance.now() >= until && body !== null) return null
        return { text: texts[next++ % texts.length]!, keep: sample === '' }
      }),
    ),
  )
  return { requests: done, seconds: (performance.now() - started) / 1000, sample }
}

interface Request {
  text: Buffer
  /** Whether the response bodies are kept; otherwise the responses are only counted. */
  keep: boolean
}

/** One connection. `onAnswer` receives each body and returns the next request; null closes the connection. */
function runConnection(port: number, onAnswer: (body: string | null) => Request | null): Promise<void> {
  return new Promise((resolve, reject) => {
    let head = ''
    let missing = 0
    let kept: Buffer[] | null = null
    const fail = (why: string) => {
      socket.destroy()
      reject(new Error(why))
    }
    const proceed = (body: string | null) => {
      const request = onAnswer(body)
      if (!request) return socket.end()
      head = ''
      missing = -1
      kept = request.keep ? [] : null
      socket.write(request.text)
    }
    const onData = (bytes: Uint8Array) => {
      let chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      if (missing < 0) {
        const before = head.length
        head += chunk.toString('latin1')
        const end = head.indexOf('\r\n\r\n')
        if (end < 0) return
        if (!head.startsWith('HTTP/1.1 200 ')) return fail(`The response status is not 200:\n${head}`)
        const length = /\r\ncontent-length: (\d+)/i.exec(head)
        if (!length) return fail(`The response has no content length:\n${head}`)
        missing = Number(length[1])
        chunk = chunk.subarray(end + 4 - before)
      }
      missing -= chunk.length
      // The buffer is reused for the next chunk.
      kept?.push(Buffer.from(chunk))
      if (missing === 0) proceed(kept ? Buffer.concat(kept).toString('utf8') : '')
      else if (missing < 0) fail('The response is longer than its content length')
    }
    const socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: new Uint8Array(256 * 1024),
        callback: (size, buffer) => {
          onData(buffer.subarray(0, size))
          return true
        },
      },
    })
    socket.on('connect', () => proceed(null))
    socket.on('error', reject)
    socket.on('close', resolve)
  })
}

serveRequests({ aim, drive: runLoad })
