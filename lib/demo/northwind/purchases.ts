import { addDays } from '#lib/platform/values/days.ts'
import { addMonths } from '../calendar.ts'
import type { Purchase } from '../purchase.ts'

const DOMAIN = 'northwind-labs.example'
const LONG_NAME =
  'Enterprise Plus for Regulated Research with Extended Data Residency, Advanced Endpoint Management ' +
  'and Assured Support (Nonprofit Transition Agreement)'

/** Returns subscriptions of one type in each possible state, newest first. */
export function northwindWorkspace(today: string): Purchase[] {
  const days = (count: number) => addDays(today, count)
  const months = (count: number) => addMonths(today, count)
  const type = 'workspace-suite'
  return [
    {
      id: 'workspace-suite-9120',
      type,
      sku: { id: 'WS-BST', name: 'Business Starter' },
      domain: `incubator.${DOMAIN}`,
      plan: 'TRIAL',
      status: 'ACTIVE',
      boughtOn: days(-9),
      seats: { first: 10, assigned: 9 },
    },
    {
      id: 'workspace-suite-8377',
      type,
      sku: { id: 'WS-ARC', name: 'Assured Archive' },
      domain: DOMAIN,
      plan: 'ANNUAL_MONTHLY_PAY',
      status: 'ACTIVE',
      boughtOn: addMonths(days(75), -12),
      renewsOn: days(75),
      renewalType: 'CANCEL',
      price: '5.37',
      costCenter: '6120',
      seats: { first: 20, assigned: 18 },
    },
    {
      id: 'workspace-suite-8041',
      type,
      sku: { id: 'WS-BPL', name: 'Business Plus' },
      domain: DOMAIN,
      plan: 'FLEXIBLE',
      status: 'ACTIVE',
      boughtOn: months(-13),
      purchaseOrder: 'PO-88213',
      price: '16.84',
      seats: { first: 214, assigned: 182 },
      changes: [
        { on: months(-12), to: 200, by: 'Ana Ruiz' },
        { on: days(-263), to: 210, by: 'Mira Kovač' },
        { on: days(-191), to: 400, by: 'Mira Kovač', refused: 'The edition is limited to 300 licenses.' },
        { on: days(-190), to: 240, by: 'Mira Kovač' },
      ],
    },
    {
      id: 'workspace-suite-8116',
      type,
      sku: { id: 'WS-FST', name: 'Frontline Starter' },
      domain: `stores.${DOMAIN}`,
      plan: 'FLEXIBLE',
      status: 'ACTIVE',
      boughtOn: months(-15),
      price: '4.31',
      seats: { first: 36, assigned: 0 },
      changes: [
        { on: days(-140), to: 20, by: 'Sam Okafor' },
        { on: days(-78), to: 0, by: 'Sam Okafor' },
      ],
    },
    {
      id: 'workspace-suite-7903',
      type,
      sku: { id: 'WS-EPR', name: LONG_NAME },
      domain: `research.${DOMAIN}`,
      plan: 'ANNUAL_MONTHLY_PAY',
      status: 'ACTIVE',
      boughtOn: addMonths(days(240), -24),
      renewsOn: days(240),
      renewalType: 'RENEW_CURRENT_USERS_MONTHLY_PAY',
      purchaseOrder: 'NL-2209/C',
      price: '27.65',
      seats: { first: 88, assigned: 104, maximum: 300 },
      changes: [{ on: days(-57), to: 120, by: 'Ana Ruiz' }],
    },
    {
      id: 'workspace-suite-7718',
      type,
      sku: { id: 'WS-EST', name: 'Enterprise Standard' },
      domain: DOMAIN,
      plan: 'ANNUAL_MONTHLY_PAY',
      status: 'ACTIVE',
      boughtOn: addMonths(days(101), -24),
      renewsOn: days(101),
      renewalType: 'AUTO_RENEW_MONTHLY_PAY',
      purchaseOrder: 'PO-79410',
      price: '22.47',
      seats: { first: 45, assigned: 60 },
      changes: [
        { on: days(-214), to: 52, by: 'Mira Kovač' },
        { on: days(-33), to: 60, by: 'Sam Okafor' },
      ],
    },
    {
      id: 'workspace-suite-7522',
      type,
      sku: { id: 'WS-VLT', name: 'Vault Former Employee' },
      domain: DOMAIN,
      plan: 'FLEXIBLE',
      status: 'SUSPENDED',
      boughtOn: months(-26),
      endedOn: days(-48),
      price: '3.92',
      seats: { first: 25, assigned: 14 },
    },
    {
      id: 'workspace-suite-7001',
      type,
      sku: { id: 'WS-ESS', name: 'Essentials' },
      domain: DOMAIN,
      plan: 'FLEXIBLE',
      status: 'CANCELLED',
      boughtOn: months(-38),
      endedOn: months(-12),
      price: '8.76',
      seats: { first: 190, assigned: 0 },
    },
  ]
}

const OFFICE_DOMAIN = 'northwindlabs.office.example'

/** Returns subscriptions of another type: waiting, idle, and renewing soon; newest first. */
export function northwindOffice(today: string): Purchase[] {
  const type = 'office-suite'
  const renewsOn = addDays(today, 12)
  return [
    {
      id: 'office-suite-5488',
      type,
      sku: { id: 'OF-F1', name: 'Office F1' },
      domain: OFFICE_DOMAIN,
      plan: 'ANNUAL_MONTHLY_PAY',
      status: 'PENDING',
      boughtOn: addDays(today, -41),
      seats: { first: 30, assigned: 0 },
    },
    {
      id: 'office-suite-5310',
      type,
      sku: { id: 'OF-DG2', name: 'Diagramming Plan 2' },
      domain: OFFICE_DOMAIN,
      plan: 'FLEXIBLE',
      status: 'ACTIVE',
      boughtOn: addMonths(today, -5),
      price: '13.87',
      seats: { first: 130, assigned: 37 },
    },
    {
      id: 'office-suite-5244',
      type,
      sku: { id: 'OF-MTG', name: 'Meeting Rooms' },
      domain: OFFICE_DOMAIN,
      plan: 'ANNUAL_MONTHLY_PAY',
      status: 'ACTIVE',
      boughtOn: addMonths(addDays(today, 156), -12),
      renewsOn: addDays(today, 156),
      renewalType: 'SWITCH_TO_PAY_AS_YOU_GO',
      price: '36.83',
      seats: { first: 12, assigned: 9 },
    },
    {
      id: 'office-suite-5102',
      type,
      sku: { id: 'OF-APB', name: 'Apps for Business' },
      domain: OFFICE_DOMAIN,
      plan: 'FLEXIBLE',
      status: 'ACTIVE',
      boughtOn: addMonths(today, -20),
      price: '10.29',
      seats: { first: 38, assigned: 41 },
      changes: [{ on: addDays(today, -168), to: 45, by: 'Mira Kovač' }],
    },
    {
      id: 'office-suite-4870',
      type,
      sku: { id: 'OF-E3', name: 'Office E3' },
      domain: OFFICE_DOMAIN,
      plan: 'ANNUAL_YEARLY_PAY',
      status: 'ACTIVE',
      boughtOn: addMonths(renewsOn, -36),
      renewsOn,
      renewalType: 'AUTO_RENEW_YEARLY_PAY',
      purchaseOrder: 'PO-80077',
      price: '402.36',
      seats: { first: 310, assigned: 318 },
      changes: [{ on: addMonths(renewsOn, -12), to: 340, by: 'Ana Ruiz' }],
    },
  ]
}
