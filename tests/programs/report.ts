// Sales report: fetches some 200 records in parallel, joins and groups them, prints tables and returns the totals.

interface Customer {
  id: string;
  name: string;
  region: string;
  tier: 'basic' | 'plus' | 'pro';
}

interface Product {
  sku: string;
  title: string;
  category: string;
  priceCents: number;
}

interface Order {
  id: number;
  customer: string;
  sku: string;
  quantity: number;
  placed: string;
  status: 'shipped' | 'open' | 'returned';
}

type Sale = Order & { region: string; buyer: string; category: string; cents: number };

/** Sums of one group of sales. */
class Totals {
  #cents = 0;
  orders = 0;
  units = 0;

  add(sale: Sale): this {
    this.orders++;
    this.units += sale.quantity;
    this.#cents += sale.cents;
    return this;
  }

  get cents(): number {
    return this.#cents;
  }
}

const PAGES = 8;

function indexBy<T, K extends keyof T>(rows: readonly T[], key: K): Map<T[K], T> {
  return new Map(rows.map((row) => [row[key], row]));
}

function groupTotals<T extends string>(sales: readonly Sale[], keyOf: (sale: Sale) => T): Map<T, Totals> {
  const groups = new Map<T, Totals>();
  for (const sale of sales) {
    const key = keyOf(sale);
    if (!groups.has(key)) groups.set(key, new Totals());
    groups.get(key)!.add(sale);
  }
  return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

const euros = (cents: number): string => `${(cents / 100).toFixed(2).replace(/\B(?=(\d{3})+(?!\d))/g, ' ')} EUR`;

// Everything starts at once: eleven calls are in flight.
const [customers, products, { rate }, ...pages] = await Promise.all([
  tools.customers.list({}) as Promise<Customer[]>,
  tools.products.list({}) as Promise<Product[]>,
  tools.rates.get({ from: 'USD', to: 'EUR' }) as Promise<{ rate: number }>,
  ...Array.from({ length: PAGES }, (_, index) => tools.orders.page({ page: index + 1 }) as Promise<{ page: number; orders: Order[] }>),
]);

const customerById = indexBy(customers, 'id');
const productBySku = indexBy(products, 'sku');
const orders = pages.flatMap((page) => page.orders);

const sales = orders
  .filter(({ status }) => status !== 'returned')
  .map((order): Sale => {
    const { region, name: buyer } = customerById.get(order.customer)!;
    const { category, priceCents } = productBySku.get(order.sku)!;
    return { ...order, region, buyer, category, cents: Math.round(priceCents * order.quantity * rate) };
  });

const byRegion = groupTotals(sales, (sale) => sale.region);
const byMonth = groupTotals(sales, (sale) => sale.placed.slice(0, 7));
const byCategory = groupTotals(sales, (sale) => sale.category);

text(`Sales report: ${customers.length + products.length + orders.length} records, ${sales.length} sales`);
console.table(
  [...byRegion].map(([region, { orders: count, units, cents }]) => ({ region, orders: count, units, revenue: euros(cents) })),
);

const width = Math.max(...[...byMonth.values()].map(({ cents }) => euros(cents).length));
for (const [month, { orders: count, cents }] of byMonth) {
  text(`${month}  ${String(count).padStart(3)} orders  ${euros(cents).padStart(width)}  ${'#'.repeat(Math.round(cents / 20_000))}`);
}

const best = Object.values(Object.groupBy(sales, ({ buyer }) => buyer))
  .map((own) => ({ buyer: own![0]!.buyer, cents: own!.reduce((sum, { cents }) => sum + cents, 0) }))
  .sort((a, b) => b.cents - a.cents || a.buyer.localeCompare(b.buyer))
  .slice(0, 3);
text(`Best customers: ${best.map(({ buyer, cents }, place) => `${place + 1}. ${buyer} (${euros(cents)})`).join(', ')}`);

const returned = orders.filter(({ status }) => status === 'returned');
if (returned.length > 0) console.warn(`${returned.length} orders were returned: ${returned.map(({ id }) => `#${id}`).join(' ')}`);

const audited = await Promise.all([...byRegion].map(([region, { cents }]) => tools.audit.record({ region, cents })));
const totalCents = audited.reduce((sum: number, { cents }: { cents: number }) => sum + cents, 0);

return {
  sales: sales.length,
  returned: returned.length,
  revenue: euros(totalCents),
  regions: Object.fromEntries([...byRegion].map(([region, { cents }]) => [region, cents])),
  categories: Object.fromEntries([...byCategory].map(([category, { units }]) => [category, units])),
  best: best.map(({ buyer }) => buyer),
};
