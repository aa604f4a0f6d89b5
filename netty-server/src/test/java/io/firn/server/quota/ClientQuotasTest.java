package io.firn.server.quota;

import static io.firn.server.quota.QuotaType.PRODUCER_BYTE_RATE;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.medium.FileMedium;
import io.firn.server.state.StateFileContract;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Quotas, on a medium that loses what was not forced. */
class ClientQuotasTest extends StateFileContract {
    @Override
    protected Kept kept(FileMedium on) throws IOException {
        ClientQuotas quotas = ClientQuotas.open(on, DIRECTORY);
        return new Kept() {
            @Override
            public Set<String> all() {
                return quotas.all().keySet().stream()
                        .map(QuotaEntity::user)
                        .collect(Collectors.toSet());
            }

            @Override
            public void change(String added, String removed) throws IOException {
                Map<QuotaEntity, Map<QuotaType, Double>> changes = new HashMap<>();
                if (removed != null) {
                    Map<QuotaType, Double> none = new HashMap<>();
                    none.put(PRODUCER_BYTE_RATE, null);
                    changes.put(new QuotaEntity(removed, null), none);
                }
                changes.put(new QuotaEntity(added, null), Map.of(PRODUCER_BYTE_RATE, 1.0));
                assertTrue(quotas.change(changes));
            }
        };
    }
}
