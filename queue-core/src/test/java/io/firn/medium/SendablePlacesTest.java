package io.firn.medium;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Who reads leaves descriptors to those who write. */
class SendablePlacesTest {
    private static int ofLimit(String soft) {
        return SendableFile.most(
                DescriptorLimit.in(
                        List.of(
                                "Limit                     Soft Limit           Hard Limit           Units",
                                "Max processes             31                   32                   processes",
                                "Max open files            "
                                        + soft
                                        + "        4096                 files")));
    }

    @Test
    void shouldTakeAnEighthOfTheDescriptorsWhenTheProcessMayHaveFew() {
        assertEquals(128, ofLimit("1024"));
        assertEquals(0, ofLimit("7"));
    }

    @Test
    void shouldTakeSomeHundredsWhenTheProcessMayHaveMany() {
        assertEquals(500, ofLimit("4000"));
        assertEquals(500, ofLimit("1000000000000"));
        assertEquals(500, ofLimit("unlimited"));
    }

    @Test
    void shouldTakeSomeHundredsWhenTheLimitIsNotKnown() {
        assertEquals(500, SendableFile.most(DescriptorLimit.in(List.of())));
    }

    @Test
    void shouldReadTheLimitOfThisProcess() {
        int most = SendableFile.places().availablePermits();
        assertTrue(most > 0 && most <= 500, most + " files");
    }
}
