import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'

/** Key and certificate of `localhost`, valid until 2126, signed by itself: made for tests, and no secret. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgZaruGf28o5fw8XvL
rUSLK5NAcv6Xc2z/aiU+unIF8xChRANCAAR7jH9BZeumlpYzXMlP2eX/IlJBzcMQ
ph6OV17GtwLWDeRqbAGsgO/Y5s9kNFjhw+5KQmA4m2j6k0TXSNnVcvHL
-----END PRIVATE KEY-----`
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBlTCCATugAwIBAgIUdJSH59TZlkbbn/QnReHvLIqAeIswCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyOTEwNTUxOVoYDzIxMjYxMTA1
MTA1NTE5WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAR7jH9BZeumlpYzXMlP2eX/IlJBzcMQph6OV17GtwLWDeRqbAGsgO/Y
5s9kNFjhw+5KQmA4m2j6k0TXSNnVcvHLo2kwZzAdBgNVHQ4EFgQUD4em9zx7H3QH
+ntFy8piaIYPQI0wHwYDVR0jBBgwFoAUD4em9zx7H3QH+ntFy8piaIYPQI0wDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SAAwRQIhAMX4fqOIN6xjM0q/EcyF9o2DLiRZCYTOgp9Wd2zyPycgAiBSibKYz2Rx
L/TAuMEeCbO7F9hC0GOGibIUFtJ4zZ25Fg==
-----END CERTIFICATE-----`

export type HttpsProxy = {
  /** Public address: `https://localhost:<port>`. */
  url: string
  /** Forwards to the application at this port from now on. */
  forwardTo(port: number): void
  close(): Promise<void>
}

/** Starts a proxy that ends TLS before an application, as SECURITY.md asks of a deployer. */
export async function startHttpsProxy(): Promise<HttpsProxy> {
  let target = 0
  const server = createServer({ key: KEY, cert: CERTIFICATE }, (req, res) => {
    const headers = {
      ...req.headers,
      'x-forwarded-host': req.headers.host,
      'x-forwarded-proto': 'https',
      'x-forwarded-for': req.socket.remoteAddress,
    }
    const { method, url: path } = req
    const passed = request({ port: target, host: '127.0.0.1', method, path, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.pipe(res)
    })
    passed.on('error', () => res.destroy())
    req.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    forwardTo(port) {
      target = port
    },
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
