import 'server-only'
import { BlockList, isIP } from 'node:net'

/**
 * Day of this table. It was written from the RFCs, and compared with the rows of IANA's registries of special-purpose
 * addresses as others had copied them by 31 August (IPv4) and 15 September 2026 (IPv6).
 */
export const WRITTEN_ON = '2026-11-29'

/**
 * Networks that are not part of the public internet, with their names in IANA's registries and the RFC that reserves
 * them. Of IPv6, only 2000::/3 is assigned to the public internet: the rest is in here whole, whatever is registered
 * there later. Contains those that lead to IPv4 addresses (6to4, NAT64, Teredo), because they would lead to private ones, too,
 * and leaves out the few special networks that are globally reachable, unless they are within one that is not.
 */
export const SPECIAL_NETWORKS: readonly (readonly [network: string, name: string, rfc: string])[] = [
  ['0.0.0.0/8', 'this network', 'RFC 791'],
  ['10.0.0.0/8', 'private use', 'RFC 1918'],
  ['100.64.0.0/10', 'shared address space', 'RFC 6598'],
  ['127.0.0.0/8', 'loopback', 'RFC 1122'],
  ['169.254.0.0/16', 'link local', 'RFC 3927'],
  ['172.16.0.0/12', 'private use', 'RFC 1918'],
  ['192.0.0.0/24', 'IETF protocol assignments', 'RFC 6890'],
  ['192.0.2.0/24', 'documentation (TEST-NET-1)', 'RFC 5737'],
  ['192.88.99.0/24', 'deprecated (6to4 relay anycast)', 'RFC 7526'],
  ['192.168.0.0/16', 'private use', 'RFC 1918'],
  ['198.18.0.0/15', 'benchmarking', 'RFC 2544'],
  ['198.51.100.0/24', 'documentation (TEST-NET-2)', 'RFC 5737'],
  ['203.0.113.0/24', 'documentation (TEST-NET-3)', 'RFC 5737'],
  ['224.0.0.0/4', 'multicast', 'RFC 5771'],
  ['240.0.0.0/4', 'reserved, and limited broadcast', 'RFC 1112'],
  ['::/3', 'not assigned to the public internet', 'RFC 4291'],
  ['4000::/2', 'not assigned to the public internet', 'RFC 4291'],
  ['8000::/1', 'not assigned to the public internet', 'RFC 4291'],
  ['::/96', 'unspecified, loopback, and deprecated IPv4-compatible addresses', 'RFC 4291'],
  ['::ffff:0:0/96', 'IPv4-mapped addresses', 'RFC 4291'],
  ['64:ff9b::/96', 'IPv4-IPv6 translation', 'RFC 6052'],
  ['64:ff9b:1::/48', 'IPv4-IPv6 translation', 'RFC 8215'],
  ['100::/64', 'discard only', 'RFC 6666'],
  ['100:0:0:1::/64', 'dummy prefix', 'RFC 9780'],
  ['2001::/23', 'IETF protocol assignments, with Teredo, benchmarking and ORCHID', 'RFC 2928'],
  ['2001:db8::/32', 'documentation', 'RFC 3849'],
  ['2002::/16', '6to4', 'RFC 3056'],
  ['3fff::/20', 'documentation', 'RFC 9637'],
  ['5f00::/16', 'segment routing', 'RFC 9602'],
  ['fc00::/7', 'unique local', 'RFC 4193'],
  ['fe80::/10', 'link local', 'RFC 4291'],
  ['fec0::/10', 'deprecated (site local)', 'RFC 3879'],
  ['ff00::/8', 'multicast', 'RFC 4291'],
]

// Two lists, because Node applies rules for IPv4-mapped IPv6 addresses to all of IPv4.
const lists = { 4: new BlockList(), 6: new BlockList() }
for (const [network] of SPECIAL_NETWORKS) {
  const [address = '', bits] = network.split('/')
  if (isIP(address) === 6) lists[6].addSubnet(address, Number(bits), 'ipv6')
  else lists[4].addSubnet(address, Number(bits), 'ipv4')
}

/** Returns whether an address is not part of the public internet. */
export function isSpecialAddress(address: string): boolean {
  return isIP(address) === 6 ? lists[6].check(address, 'ipv6') : lists[4].check(address)
}
